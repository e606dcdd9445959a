"""The texts of the page in every language, and a question in one that is read from right to left."""

import json
from pathlib import Path

from tests.support import page_questions as questions

STRINGS = Path(__file__).parents[3] / "functions/page/strings"
ALL: dict[str, dict[str, str]] = {
    path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(STRINGS.glob("*.json"))
}
ARABIC = {
    "questions": [
        questions.a_question(
            "هل تريد إعادة 49.90 يورو إلى Ada Lovelace؟",
            questions.an_option("نعم، أعدها", "تصل خلال ثلاثة أيام."),
            questions.an_option("لا"),
            header="استرداد",
            allow_other=True,
        )
    ]
}
