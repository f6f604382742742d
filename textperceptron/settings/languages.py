"""Languages: their negators, and frequent words by which a language is detected.

A language has negators if they stand before what they negate, and if they did not cost accuracy on a corpus of it or of
its nearest relatives. docs/text.md has the sources and the figures.
"""

from __future__ import annotations

from textperceptron.settings.word_lists import NEGATORS

LANGUAGE_NAMES = {
    "bg": "Bulgarian", "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "fr": "French",
    "he": "Hebrew", "hu": "Hungarian", "id": "Indonesian", "it": "Italian", "nl": "Dutch", "no": "Norwegian",
    "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sv": "Swedish", "uk": "Ukrainian",
    "vi": "Vietnamese", "af": "Afrikaans", "ast": "Asturian", "be": "Belarusian", "ca": "Catalan", "fo": "Faroese",
    "gl": "Galician", "is": "Icelandic", "mk": "Macedonian", "oc": "Occitan", "sr": "Serbian",
}  # fmt: skip
"""Languages that can be detected."""

NEGATORS_OF = {
    "bg": ("не", "нито", "няма", "без", "никога", "никой", "нищо"),
    "da": ("ikke", "ej", "aldrig", "ingen", "intet", "ingenting", "uden", "hverken"),
    "de": (
        "nicht", "nichts", "nie", "niemals", "niemand", "kein", "keine", "keinen", "keinem", "keiner", "keines", "ohne",
        "weder", "nirgends",
    ),
    "el": (
        "δεν", "δε", "μην", "μη", "όχι", "οχι", "χωρίς", "χωρις", "ούτε", "ουτε", "ποτέ", "ποτε", "τίποτα", "τιποτα",
        "κανείς", "κανεις", "κανένας", "κανενας", "καμία", "καμια", "κανένα", "κανενα",
    ),
    "en": NEGATORS,
    "es": ("no", "ni", "nunca", "jamás", "nada", "nadie", "ningún", "ninguno", "ninguna", "sin", "tampoco"),
    "fr": ("ne", "n", "pas", "jamais", "rien", "aucun", "aucune", "sans", "ni", "non"),
    "he": ("לא", "אין", "אינו", "אינה", "אינם", "בלי", "ללא", "מעולם"),
    "hu": ("nem", "ne", "nincs", "nincsenek", "se", "sem", "soha", "sosem", "semmi", "senki", "sehol"),
    "id": ("tidak", "bukan", "jangan", "belum", "tanpa", "tak", "tiada", "nggak", "enggak", "gak", "ga"),
    "it": (
        "non", "né", "mai", "niente", "nulla", "nessun", "nessuno", "nessuna", "senza", "neanche", "nemmeno", "neppure",
    ),
    "nl": ("niet", "geen", "nooit", "niets", "niks", "niemand", "nergens", "zonder", "noch"),
    "no": ("ikke", "ikkje", "aldri", "ingen", "intet", "ingenting", "uten", "hverken", "verken"),
    "pl": ("nie", "ani", "nigdy", "nic", "nikt", "żaden", "żadna", "żadne", "żadnego", "żadnej", "żadnych", "bez"),
    "pt": ("não", "nao", "nem", "nunca", "jamais", "nada", "ninguém", "nenhum", "nenhuma", "sem"),
    "ro": ("nu", "n", "nici", "niciodată", "nimic", "nimeni", "niciun", "nicio", "fără"),
    "ru": ("не", "ни", "нет", "без", "никогда", "никто", "ничего", "ничто", "нельзя", "никакой", "никакого", "никаких"),
    "sv": ("inte", "icke", "ej", "aldrig", "ingen", "inget", "inga", "ingenting", "varken"),
    "uk": ("не", "ні", "ані", "немає", "нема", "без", "ніколи", "ніхто", "нічого", "ніщо"),
    "vi": ("không", "chẳng", "chả", "chưa", "đừng", "chớ"),
}  # fmt: skip
"""Negators in lower case. Those of Indonesian are those of Malay too."""

FREQUENT_WORDS = {
    "bg": (
        "на", "да", "от", "за", "е", "не", "че", "са", "като", "това", "си", "по", "но", "към", "ще", "или", "който",
        "много", "беше",
    ),
    "da": (
        "og", "er", "at", "af", "der", "ikke", "jeg", "blev", "sig", "havde", "efter", "meget", "mere", "hvad", "mig",
        "også", "være", "nogle", "deres", "til",
    ),
    "de": (
        "der", "die", "und", "das", "ist", "nicht", "sich", "auch", "auf", "ein", "eine", "mit", "für", "von", "ich",
        "zu", "den", "sind",
    ),
    "el": (
        "το", "και", "του", "να", "της", "την", "που", "με", "από", "για", "είναι", "δεν", "στο", "θα", "τα", "οι",
        "ότι", "μια", "τον", "τη",
    ),
    "en": (
        "the", "and", "of", "to", "is", "that", "it", "for", "you", "with", "this", "are", "was", "my", "have", "not",
        "but", "they", "from", "what",
    ),
    "es": (
        "en", "una", "las", "es", "por", "para", "su", "lo", "como", "más", "pero", "muy", "fue", "sus", "se", "el",
        "los", "con", "que", "y",
    ),
    "fr": (
        "les", "des", "est", "une", "dans", "pour", "qui", "pas", "sur", "vous", "et", "du", "ce", "je", "il", "avec",
        "sont", "au",
    ),
    "he": (
        "של", "את", "על", "לא", "זה", "הוא", "היא", "או", "עם", "כל", "אני", "גם", "כי", "יש", "מה", "הם", "אבל", "רק",
        "כמו",
    ),
    "hu": (
        "az", "és", "egy", "hogy", "nem", "is", "vagy", "volt", "meg", "ez", "már", "csak", "mint", "lehet", "azt",
        "amely", "minden", "kell",
    ),
    "id": (
        "yang", "dan", "ini", "untuk", "dengan", "tidak", "dari", "itu", "pada", "dalam", "juga", "saya", "anda", "ada",
        "akan", "atau", "bisa", "lebih", "mereka",
    ),
    "it": (
        "il", "che", "è", "per", "della", "sono", "gli", "non", "più", "dei", "nel", "alla", "anche", "ma", "questo",
        "nella", "delle", "una", "con", "del",
    ),
    "nl": (
        "het", "een", "van", "en", "dat", "niet", "zijn", "op", "voor", "ik", "je", "met", "maar", "ook", "er", "aan",
        "hij", "wordt", "als", "bij",
    ),
    "no": (
        "og", "er", "av", "å", "som", "ikke", "jeg", "seg", "ble", "etter", "mellom", "mye", "meg", "ikkje", "ein",
        "eit", "dei", "frå", "også", "til",
    ),
    "pl": (
        "w", "z", "się", "nie", "jest", "że", "są", "jak", "od", "ale", "po", "dla", "przez", "które", "był", "już",
        "bardzo", "tak",
    ),
    "pt": (
        "uma", "um", "em", "não", "é", "do", "os", "com", "mais", "são", "você", "foi", "está", "que", "muito", "isso",
        "mas", "ele", "sua", "também",
    ),
    "ro": (
        "și", "în", "să", "nu", "este", "că", "pe", "cu", "din", "care", "pentru", "sunt", "mai", "sau", "dar", "au",
        "ce", "după",
    ),
    "ru": (
        "в", "и", "не", "что", "как", "это", "с", "для", "он", "но", "они", "или", "было", "все", "если", "чтобы",
        "только", "его", "я",
    ),
    "sv": (
        "och", "att", "är", "på", "för", "till", "inte", "ett", "som", "av", "med", "den", "det", "jag", "har", "från",
        "också",
    ),
    "uk": (
        "та", "і", "що", "не", "на", "у", "в", "з", "це", "як", "або", "до", "але", "від", "були", "який", "бути",
        "його", "є",
    ),
    "vi": (
        "và", "của", "được", "một", "có", "là", "trong", "những", "không", "đã", "các", "này", "với", "cho", "khi",
        "người", "thì", "nhiều",
    ),
    "af": (
        "die", "is", "nie", "wat", "vir", "dit", "sy", "hulle", "deur", "word", "jy", "baie", "hierdie", "hul", "ons",
        "sal", "kan", "nog",
    ),
    "ast": (
        "los", "y", "que", "del", "les", "con", "nun", "ye", "como", "nel", "más", "un", "d", "l", "yera", "tamién",
    ),
    "be": (
        "і", "ў", "у", "што", "на", "з", "за", "для", "не", "як", "каб", "або", "гэта", "калі", "ад", "ён", "таксама",
        "які",
    ),
    "ca": (
        "els", "amb", "més", "és", "per", "que", "una", "del", "les", "va", "un", "ha", "però", "aquest", "com", "ser",
        "dels", "també",
    ),
    "fo": (
        "at", "og", "í", "sum", "við", "er", "á", "til", "av", "fyri", "ein", "ella", "hjá", "hevur", "eru", "tú",
        "ikki", "tað",
    ),
    "gl": (
        "unha", "máis", "non", "do", "que", "ao", "os", "un", "en", "con", "súa", "é", "tamén", "pola", "ten", "esta",
        "moi", "polo",
    ),
    "is": (
        "að", "og", "í", "er", "á", "sem", "til", "af", "eru", "um", "með", "við", "fyrir", "eða", "ekki", "það", "því",
        "ég",
    ),
    "mk": (
        "се", "во", "од", "да", "со", "и", "што", "го", "кои", "ги", "ќе", "како", "ја", "тоа", "многу", "овие", "дека",
    ),
    "oc": (
        "lo", "las", "los", "una", "es", "per", "dins", "amb", "dels", "del", "pas", "mai", "foguèt", "son", "aquesta",
        "çò",
    ),
    "sr": (
        "је", "у", "су", "који", "од", "као", "или", "ће", "што", "и", "није", "које", "сам", "али", "она", "како",
        "бити",
    ),
}  # fmt: skip
"""Languages without negators are here to be told from their neighbours."""
