/** The program of a person who has signed in: it names the pause by its id, and sends the person's JWT. */

import { approve, HttpTransport, PersonClient } from "askback";

const [jti = "", jwt = ""] = process.argv.slice(2);
const askback = new PersonClient(new HttpTransport(process.env.ASKBACK_URL!, { bearer: async () => jwt }));

const { requestHash } = await askback.question({ jti });
const receipt = await askback.answer({ jti }, approve({ comment: "Fine" }), { requestHash });
console.log(`${receipt.answeredBy}: ${receipt.assurance}`);
