/**
 * What brings the link to a person, and what the person's program does with it: two roles, which are never the
 * agent's.
 */

import { AlreadyAnswered, AnswerInvalid, AskbackClient, choose, HttpTransport, PersonClient } from "askback";

import { sign } from "./signing.js";

const url = process.env.ASKBACK_URL!;
const [jti = "", label = "Approve"] = process.argv.slice(2);

try {
  // The messenger, with a permission of its own.
  const messenger = new AskbackClient(new HttpTransport(url, { sign }));
  const links = await messenger.links(jti);

  // The person. These calls need no signature: the token of the link is enough.
  const person = new PersonClient(new HttpTransport(url));
  const shown = await person.question(links.answerToken);
  const { requestHash } = shown;
  const receipt = await person.answer(links.answerToken, choose(shown, label), { requestHash });
  console.log(`answered by: ${receipt.answeredBy}`);
} catch (error) {
  if (error instanceof AnswerInvalid) console.log(error.errors.map(({ field, message }) => `${field}: ${message}`));
  else if (error instanceof AlreadyAnswered) console.log(`answered at: ${error.answeredAt.toISOString()}`);
  else throw error;
}
