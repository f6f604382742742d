/* The classifier: C99 and libm, no other file. Everything above this line is the data of a model, which
   textperceptron/export/c.py writes; what the macros mean is said where they are used.

   int tp_classify(const char *text, size_t length, double *scores)
       Return the class of a text in UTF-8, an index of tp_labels, or -1 if there is not enough memory. scores gets
       TP_N_SCORES numbers: one for two classes, above 0 for the second, else one per class. Threads may share it: there
       is no state. Bytes that are not UTF-8 count as U+FFFD; a surrogate in three bytes is a character, as in Python.
   void tp_probabilities(const double *scores, double *probabilities)
       Write the probabilities of the TP_N_CLASSES classes. Calibrated models only (TP_CALIBRATION).

   As a program it reads texts from standard input, one per line, and prints the label and the score of each class.
   Compile with TP_NO_MAIN for a library. For two models in one program, rename the public names of one of them:
   -Dtp_classify=NAME -Dtp_labels=NAME -Dtp_probabilities=NAME

   Tokens, sums and labels are, to the last bit, those of Python: compile without -ffast-math, and with
   -ffp-contract=off unless the compiler is told -std=c99. */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifndef TP_NO_MAIN
#include <stdio.h>
#endif

int tp_classify(const char *text, size_t length, double *scores);
#if TP_CALIBRATION
void tp_probabilities(const double *scores, double *probabilities);
#endif

/* Classes of bytes. A word is a run of TP_WORD; any other token begins with TP_MARK and continues with TP_MORE. */
enum { TP_SPACE = 0, TP_WORD = 1, TP_MARK = 2, TP_MORE = 4, TP_SPACE_MORE = 8, TP_UNSPACED = 16 };
/* Script classes of characters. */
enum { TP_ATTACHED = 1, TP_WITHOUT_SPACES = 2, TP_SYLLABLE = 3 };
/* Bits of the properties of characters, above the class (2 bits) and the script class (2 bits). */
enum { TP_CASED = 16, TP_IGNORABLE = 32, TP_CAPITAL = 64, TP_ACCENTED = 128 };

/* What is known about one text. Arrays grow; if one cannot, `failed` is set and the rest is left out. */
typedef struct {
    unsigned char *text, *classes; /* as tokens are found in it: lower case, without accents; eight zeros behind it */
    size_t n;
    uint32_t last_point;
    unsigned last_class;
    unsigned char *words; /* the names of the tokens, a space behind each: an n-gram is a slice */
    size_t n_bytes, words_size;
    size_t *starts, *stops; /* of the tokens in `words` */
    size_t n_tokens, starts_size, stops_size;
    unsigned char *name; /* of a term that is put together */
    size_t name_length, name_size;
    uint32_t *keys; /* the columns of the terms; with TP_SIGNED times 2, plus 1 for a term that counts as -1 */
    size_t n_keys, keys_size;
    int failed;
} tp_work;

/* Return an array with room for `wanted` items, moved if need be. */
static void *tp_reserve(tp_work *work, void *items, size_t *size, size_t wanted, size_t bytes_each)
{
    void *larger;
    if (wanted <= *size)
        return items;
    larger = wanted > SIZE_MAX / 4 / bytes_each ? NULL : realloc(items, (2 * wanted + 64) * bytes_each);
    if (larger == NULL) {
        work->failed = 1;
        return items;
    }
    *size = 2 * wanted + 64;
    return larger;
}

/* ---- Characters ---------------------------------------------------------------------------------------------- */

static unsigned tp_properties(uint32_t point)
{
    return tp_page[tp_page_of[point >> TP_PAGE_BITS]][point & ((1u << TP_PAGE_BITS) - 1)];
}

static unsigned tp_script(uint32_t point)
{
    return tp_properties(point) >> 2 & 3;
}

/* Read one character; return its number of bytes. Of bytes that are not UTF-8, the longest beginning of a character
   counts as one. */
static size_t tp_decode(const unsigned char *p, size_t n, uint32_t *point)
{
    unsigned lead = p[0], low = 0x80, high = 0xBF;
    size_t size = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0, k;
    *point = size == 1 ? lead : lead & (0xFFu >> (size + 1));
    if (lead == 0xE0)
        low = 0xA0;
    else if (lead == 0xF0)
        low = 0x90;
    else if (lead == 0xF4)
        high = 0x8F;
    for (k = 1; k < size; k++) {
        if (k == n || p[k] < low || p[k] > high)
            break;
        *point = *point << 6 | (p[k] & 0x3Fu);
        low = 0x80;
        high = 0xBF;
    }
    if (k < size || size == 0)
        *point = 0xFFFD;
    return k;
}

static size_t tp_encode(uint32_t point, unsigned char *out)
{
    if (point < 0x80) {
        out[0] = (unsigned char)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (unsigned char)(0xC0 | point >> 6);
        out[1] = (unsigned char)(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (unsigned char)(0xE0 | point >> 12);
        out[1] = (unsigned char)(0x80 | (point >> 6 & 0x3F));
        out[2] = (unsigned char)(0x80 | (point & 0x3F));
        return 3;
    }
    out[0] = (unsigned char)(0xF0 | point >> 18);
    out[1] = (unsigned char)(0x80 | (point >> 12 & 0x3F));
    out[2] = (unsigned char)(0x80 | (point >> 6 & 0x3F));
    out[3] = (unsigned char)(0x80 | (point & 0x3F));
    return 4;
}

static int tp_is_flag_letter(uint32_t point)
{
    return point >= 0x1F1E6 && point <= 0x1F1FF;
}

/* The class of a character behind the text so far. With TP_MARKS 3, marks and joiners belong to the character before
   them, characters of scripts without spaces are tokens, and so are sequences of emoji. */
static unsigned tp_class_of(const tp_work *work, uint32_t point)
{
    unsigned found = tp_properties(point) & 3, before = work->last_class, script;
    if (TP_ANALYZER != 0 || TP_MARKS != 3 || point < 0x300)
        return found;
    script = tp_script(point);
    if (script == TP_WITHOUT_SPACES)
        return TP_UNSPACED | TP_MARK;
    if (script == TP_ATTACHED) {
        if (before == TP_WORD)
            return TP_WORD;
        return before & (TP_MARK | TP_MORE) ? (before & TP_UNSPACED) | TP_MORE : found;
    }
    if (found == TP_MARK
        && ((before == TP_MORE && work->last_point == 0x200D)
            || (before == TP_MARK && tp_is_flag_letter(point) && tp_is_flag_letter(work->last_point))))
        return TP_MORE;
    return found;
}

/* Append a character to the text. */
static void tp_put(tp_work *work, uint32_t point)
{
    unsigned found = tp_class_of(work, point);
    unsigned more = found == TP_SPACE ? TP_SPACE_MORE : found == TP_WORD ? TP_WORD : (found & TP_UNSPACED) | TP_MORE;
    size_t size = tp_encode(point, work->text + work->n);
    work->classes[work->n] = (unsigned char)found;
    if (size > 1)
        memset(work->classes + work->n + 1, (int)more, size - 1);
    work->n += size;
    work->last_point = point;
    work->last_class = found;
}

#if TP_STRIP_ACCENTS /* 1: accents, 2: also all other characters outside ASCII */
static void tp_put_stripped(tp_work *work, uint32_t point)
{
    if (tp_properties(point) & TP_ACCENTED) {
        size_t low = 0, high = TP_N_ACCENTS - 1, at;
        uint32_t plain;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (tp_accents[middle].point < point)
                low = middle + 1;
            else
                high = middle;
        }
        for (at = tp_accents[low].start; at < tp_accents[low + 1].start;) {
            at += tp_decode((const unsigned char *)tp_plain + at, 4, &plain);
            tp_put(work, plain);
        }
    } else if (TP_STRIP_ACCENTS == 1 && point >= 0xAC00 && point < 0xD7A4) { /* a syllable of Hangul */
        uint32_t syllable = point - 0xAC00, tail = syllable % 28;
        tp_put(work, 0x1100 + syllable / 588);
        tp_put(work, 0x1161 + syllable % 588 / 28);
        if (tail)
            tp_put(work, 0x11A7 + tail);
    } else if (TP_STRIP_ACCENTS == 1 || point < 0x80) {
        tp_put(work, point);
    }
}
#else
#define tp_put_stripped tp_put
#endif

#if TP_LOWERCASE
/* A capital sigma becomes a final one after a letter and not before one; some marks in between do not count. */
static int tp_is_final_sigma(const uint32_t *points, size_t n, size_t at)
{
    size_t k = at;
    do {
        if (k == 0)
            return 0;
        k--;
    } while (tp_properties(points[k]) & TP_IGNORABLE);
    if (!(tp_properties(points[k]) & TP_CASED))
        return 0;
    k = at;
    do {
        if (++k == n)
            return 1;
    } while (tp_properties(points[k]) & TP_IGNORABLE);
    return !(tp_properties(points[k]) & TP_CASED);
}

static uint32_t tp_lower(uint32_t point)
{
    size_t low = 0, high = TP_N_LOWERING - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (tp_lowering[middle].last < point)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)((int32_t)point + tp_lowering[low].delta);
}

static void tp_put_lowered(tp_work *work, const uint32_t *points, size_t n, size_t at)
{
    uint32_t point = points[at];
    if (point == 0x3A3) {
        tp_put_stripped(work, tp_is_final_sigma(points, n, at) ? 0x3C2 : 0x3C3);
    } else if (point == 0x130) {
        tp_put_stripped(work, 'i');
        tp_put_stripped(work, 0x307);
    } else {
        tp_put_stripped(work, tp_properties(point) & TP_CAPITAL ? tp_lower(point) : point);
    }
}
#else
#define tp_put_lowered(work, points, n, at) tp_put_stripped(work, (points)[at])
#endif

/* Write the text as tokens are found in it. */
static void tp_prepare(tp_work *work, const unsigned char *text, size_t length)
{
    uint32_t *points = length > SIZE_MAX / (TP_MAX_BYTES + 4) - 16 ? NULL : malloc((length + 1) * sizeof *points);
    size_t n = 0, at = 0;
    if (points == NULL) {
        work->failed = 1;
        return;
    }
    while (at < length)
        at += tp_decode(text + at, length - at, &points[n++]);
    work->text = malloc(n * TP_MAX_BYTES + 8);
    work->classes = malloc(n * TP_MAX_BYTES + 8);
    if (work->text == NULL || work->classes == NULL) {
        work->failed = 1;
    } else {
        for (at = 0; at < n; at++)
            tp_put_lowered(work, points, n, at);
        memset(work->text + work->n, 0, 8);
        memset(work->classes + work->n, TP_SPACE, 8);
    }
    free(points);
}

/* Where the character after the one at `at` begins, at most `n`. */
static size_t tp_next(const unsigned char *text, size_t at, size_t n)
{
    do
        at++;
    while (at < n && (text[at] & 0xC0) == 0x80);
    return at < n ? at : n;
}

/* ---- Names --------------------------------------------------------------------------------------------------- */

/* MurmurHash3 of 32 bits with seed 0. */
static uint32_t tp_scramble(uint32_t block)
{
    block *= 0xCC9E2D51u;
    return (block << 15 | block >> 17) * 0x1B873593u;
}

static uint32_t tp_murmur(const unsigned char *p, size_t n)
{
    uint32_t hash = 0, block;
    size_t k, left;
    for (k = 0; k + 4 <= n; k += 4) {
        block = (uint32_t)p[k] | (uint32_t)p[k + 1] << 8 | (uint32_t)p[k + 2] << 16 | (uint32_t)p[k + 3] << 24;
        hash ^= tp_scramble(block);
        hash = (hash << 13 | hash >> 19) * 5 + 0xE6546B64u;
    }
    for (block = 0, left = 0; k + left < n; left++)
        block |= (uint32_t)p[k + left] << 8 * left;
    hash ^= tp_scramble(block);
    hash ^= (uint32_t)n;
    hash = (hash ^ hash >> 16) * 0x85EBCA6Bu;
    hash = (hash ^ hash >> 13) * 0xC2B2AE35u;
    return hash ^ hash >> 16;
}

/* The absolute value of a hash as a signed number, modulo a power of two. */
static uint32_t tp_slot(uint32_t hash, uint32_t size)
{
    return (hash >> 31 ? 0 - hash : hash) & (size - 1);
}

#if TP_ANALYZER == 0 || !TP_HASHED
/* The number of a name, or -1. Slots are a hash table of numbers + 1 with steps of 1; 0 is an empty slot. */
static int64_t tp_find(const tp_names *names, const unsigned char *name, size_t length)
{
    uint32_t slot, found;
    if (names->n_slots == 1) /* there are no names */
        return -1;
    slot = tp_slot(tp_murmur(name, length), names->n_slots);
    while ((found = names->slots[slot]) != 0) {
        uint32_t start = names->starts[found - 1];
        if (names->starts[found] - start == length && memcmp(names->bytes + start, name, length) == 0)
            return (int64_t)found - 1;
        slot = (slot + 1) & (names->n_slots - 1);
    }
    return -1;
}
#endif

/* Count one occurrence of a term. */
static void tp_count(tp_work *work, const unsigned char *name, size_t length)
{
    uint32_t key;
#if TP_HASHED
    uint32_t hash = tp_murmur(name, length);
    key = tp_slot(hash, TP_N_COLUMNS) << TP_SIGNED;
    if (TP_SIGNED)
        key |= hash >> 31;
#else
    int64_t column = tp_find(&tp_vocabulary, name, length);
    if (column < 0)
        return;
    key = (uint32_t)column;
#endif
    work->keys = tp_reserve(work, work->keys, &work->keys_size, work->n_keys + 1, sizeof *work->keys);
    if (work->n_keys < work->keys_size)
        work->keys[work->n_keys++] = key;
}

#if TP_ANALYZER == 0 /* words */

/* ---- Tokens -------------------------------------------------------------------------------------------------- */

/* Length of an apostrophe or a hyphen, which do not end a clause; otherwise 0. */
static size_t tp_joiner(const unsigned char *p)
{
    if (p[0] == '\'' || p[0] == '-')
        return 1;
    return p[0] == 0xE2 && p[1] == 0x80 && (p[2] == 0x99 || p[2] == 0x90 || p[2] == 0x91) ? 3 : 0;
}

static int tp_ends_clause(const tp_work *work, size_t begin, size_t end)
{
    for (; begin < end; begin++)
        if (work->classes[begin] == TP_MARK && tp_joiner(work->text + begin) == 0)
            return 1;
    return 0;
}

/* Where the t of n't is, if the word that ends at `end` has one; otherwise 0. */
static size_t tp_contraction(const tp_work *work, size_t end)
{
    const unsigned char *p = work->text + end;
    size_t skip = tp_joiner(p);
    if (skip == 0 || p[0] == '-' || (p[-1] != 'n' && p[-1] != 'N') || (p[skip] != 't' && p[skip] != 'T'))
        return 0;
    return work->classes[end + skip + 1] == TP_WORD ? 0 : end + skip;
}

/* Append a token, with the mark NOT_ if it is negated. */
static void tp_add_token(tp_work *work, size_t begin, size_t end, int negated)
{
    size_t mark = negated ? 4 : 0, length = end - begin;
    work->words = tp_reserve(work, work->words, &work->words_size, work->n_bytes + mark + length + 1, 1);
    work->starts = tp_reserve(work, work->starts, &work->starts_size, work->n_tokens + 1, sizeof *work->starts);
    work->stops = tp_reserve(work, work->stops, &work->stops_size, work->n_tokens + 1, sizeof *work->stops);
    if (work->failed)
        return;
    memcpy(work->words + work->n_bytes, "NOT_", mark);
    memcpy(work->words + work->n_bytes + mark, work->text + begin, length);
    work->starts[work->n_tokens] = work->n_bytes;
    work->n_bytes += mark + length;
    work->stops[work->n_tokens++] = work->n_bytes;
    work->words[work->n_bytes++] = ' ';
}

/* TP_MARKS: which tokens there are beside words. 0 none, 1 every other character, 2 runs of them, 3 every one by the
   rule of tp_class_of. TP_SINGLE: whether words of one character are tokens. */
static void tp_find_tokens(tp_work *work)
{
    const unsigned char *classes = work->classes;
    size_t begin = 0, end, last_end = 0, tail = 0;
    int negated = 0;
    for (; begin < work->n; begin = end) {
        int is_word = classes[begin] == TP_WORD, marked = 0;
        end = begin + 1;
        if (is_word)
            while (classes[end] == TP_WORD)
                end++;
        else if (!TP_MARKS || !(classes[begin] & TP_MARK))
            continue;
        else
            while (classes[end] & (TP_MARKS == 2 ? TP_MARK | TP_MORE : TP_MORE))
                end++;
        if (TP_NEGATION) {
            if (negated && tp_ends_clause(work, last_end, is_word ? begin : end))
                negated = 0;
            last_end = end;
            if (is_word) {
                size_t contraction = tp_contraction(work, end);
                marked = negated && begin != tail;
                if (contraction || tp_find(&tp_negators, work->text + begin, end - begin) >= 0) {
                    negated = 1;
                    marked = 0;
                    if (contraction)
                        tail = contraction;
                }
            }
        }
        if ((TP_SINGLE || tp_next(work->text, begin, end) < end)
            && tp_find(&tp_stop_words, work->text + begin, end - begin) < 0)
            tp_add_token(work, begin, end, marked);
    }
}

/* ---- Terms --------------------------------------------------------------------------------------------------- */

/* Append bytes to the name that is put together. */
static void tp_append(tp_work *work, const void *bytes, size_t n)
{
    work->name = tp_reserve(work, work->name, &work->name_size, work->name_length + n, 1);
    if (work->name_length + n <= work->name_size) {
        memcpy(work->name + work->name_length, bytes, n);
        work->name_length += n;
    }
}

/* Count the name that was put together, and begin another. */
static void tp_count_name(tp_work *work)
{
    if (work->name_length > 0)
        tp_count(work, work->name, work->name_length);
    work->name_length = 0;
}

static uint32_t tp_point_at(const unsigned char *p)
{
    uint32_t point;
    tp_decode(p, 4, &point);
    return point;
}

static void tp_count_ngrams(tp_work *work)
{
    size_t k, n;
    for (k = 0; k < work->n_tokens; k++)
        for (n = TP_MIN_N; n <= TP_MAX_N && k + n <= work->n_tokens; n++)
            tp_count(work, work->words + work->starts[k], work->stops[k + n - 1] - work->starts[k]);
}

/* Find the word of a token without the mark NOT_; return 0 if it is not a word. */
static int tp_word_of(const tp_work *work, size_t token, const unsigned char **word, size_t *length)
{
    *word = work->words + work->starts[token];
    *length = work->stops[token] - work->starts[token];
    if ((tp_properties(tp_point_at(*word)) & 3) != TP_WORD)
        return 0;
    if (TP_NEGATION && *length > 4 && memcmp(*word, "NOT_", 4) == 0) {
        *word += 4;
        *length -= 4;
    }
    return 1;
}

/* TP_PREFIXES: the first characters of longer words are terms, too. */
static void tp_count_prefixes(tp_work *work)
{
    size_t k, n, end, length;
    const unsigned char *word;
    for (k = 0; k < work->n_tokens; k++) {
        if (!tp_word_of(work, k, &word, &length))
            continue;
        for (n = 1, end = 0; n <= TP_PREFIXES && end < length; n++)
            end = tp_next(word, end, length);
        if (end < length) {
            tp_append(work, word, end);
            tp_append(work, "*", 1);
            tp_count_name(work);
        }
    }
}

/* TP_UNSPACED_N: n-grams of so many characters of scripts without spaces are terms, too. */
static void tp_count_unspaced(tp_work *work)
{
    size_t k, j, run = 0;
    for (k = 0; k < work->n_tokens; k++) {
        run = tp_script(tp_point_at(work->words + work->starts[k])) == TP_WITHOUT_SPACES ? run + 1 : 0;
        if (run + 1 <= TP_UNSPACED_N)
            continue;
        for (j = k + 1 - TP_UNSPACED_N; j <= k; j++)
            tp_append(work, work->words + work->starts[j], work->stops[j] - work->starts[j]);
        tp_count_name(work);
    }
}

/* TP_CHARACTERS: n-grams of characters of words, both ends of which count as a character: ^goo, ~good, ~ood$. */
static void tp_count_characters(tp_work *work)
{
    size_t k, p, n, span, length, begin, end;
    const unsigned char *word;
    for (k = 0; k < work->n_tokens; k++) {
        if (!tp_word_of(work, k, &word, &length)
            || tp_script(tp_point_at(work->words + work->starts[k])) == TP_WITHOUT_SPACES)
            continue;
        for (n = 0, end = 0; end < length; n++)
            end = tp_next(word, end, length);
        span = TP_CHARACTERS;
        if (tp_script(tp_point_at(word)) == TP_SYLLABLE)
            span = TP_CHARACTERS > 3 ? (TP_CHARACTERS + 1) / 2 : 2;
        for (p = 1, begin = 0, end = 0; p < span; p++)
            end = tp_next(word, end, length);
        for (p = 0; p + span <= n + 2; p++) {
            tp_append(work, p ? "~" : "^", 1);
            tp_append(work, word + begin, end - begin);
            if (p + span == n + 2)
                tp_append(work, "$", 1);
            tp_count_name(work);
            if (p)
                begin = tp_next(word, begin, length);
            end = tp_next(word, end, length);
        }
    }
}

/* TP_MAX_DISTANCE: pairs of different words that are no further apart are terms, too. TP_HAS_PIVOTS: one of the two is
   a pivot. */
static void tp_count_conjunctions(tp_work *work)
{
    size_t i, j;
    for (i = 0; i < work->n_tokens; i++) {
        const unsigned char *a = work->words + work->starts[i];
        size_t n_a = work->stops[i] - work->starts[i];
        int is_pivot = !TP_HAS_PIVOTS || tp_find(&tp_pivots, a, n_a) >= 0;
        for (j = i + 1; j < work->n_tokens && j - i <= TP_MAX_DISTANCE; j++) {
            const unsigned char *b = work->words + work->starts[j];
            size_t n_b = work->stops[j] - work->starts[j];
            int order = memcmp(a, b, n_a < n_b ? n_a : n_b);
            if (order == 0)
                order = n_a < n_b ? -1 : n_a > n_b;
            if (order == 0 || !(is_pivot || tp_find(&tp_pivots, b, n_b) >= 0))
                continue;
            tp_append(work, order < 0 ? a : b, order < 0 ? n_a : n_b);
            tp_append(work, "-and-", 5);
            tp_append(work, order < 0 ? b : a, order < 0 ? n_b : n_a);
            tp_count_name(work);
        }
    }
}

static void tp_find_terms(tp_work *work)
{
    tp_find_tokens(work);
    tp_count_ngrams(work);
    if (TP_PREFIXES)
        tp_count_prefixes(work);
    if (TP_UNSPACED_N)
        tp_count_unspaced(work);
    if (TP_CHARACTERS)
        tp_count_characters(work);
    if (TP_MAX_DISTANCE)
        tp_count_conjunctions(work);
}

#else /* TP_ANALYZER 1: n-grams of characters, 2: of characters within words */

/* Append a character to `words`; it is a token. */
static void tp_add_character(tp_work *work, const void *bytes, size_t length)
{
    work->words = tp_reserve(work, work->words, &work->words_size, work->n_bytes + length, 1);
    work->starts = tp_reserve(work, work->starts, &work->starts_size, work->n_tokens + 2, sizeof *work->starts);
    if (work->failed)
        return;
    memcpy(work->words + work->n_bytes, bytes, length);
    work->starts[work->n_tokens++] = work->n_bytes;
    work->n_bytes += length;
    work->starts[work->n_tokens] = work->n_bytes;
}

/* Count the n-grams of the characters so far, and begin anew. A word that is shorter than any counts once, whole. */
static void tp_count_run(tp_work *work)
{
    size_t k, n = TP_MIN_N;
    if (TP_ANALYZER == 2 && work->n_tokens > 0 && work->n_tokens < n)
        tp_count(work, work->words, work->n_bytes);
    for (; n <= TP_MAX_N && n <= work->n_tokens; n++)
        for (k = 0; k + n <= work->n_tokens; k++)
            tp_count(work, work->words + work->starts[k], work->starts[k + n] - work->starts[k]);
    work->n_tokens = work->n_bytes = 0;
}

static void tp_find_terms(tp_work *work)
{
    size_t begin, end;
    for (begin = 0; begin < work->n; begin = end) {
        end = tp_next(work->text, begin, work->n);
        if (work->classes[begin] == TP_SPACE) { /* several become one */
            int is_run = end < work->n && work->classes[end] == TP_SPACE;
            while (end < work->n && work->classes[end] == TP_SPACE)
                end = tp_next(work->text, end, work->n);
            if (TP_ANALYZER == 1)
                tp_add_character(work, is_run ? (const void *)" " : work->text + begin, is_run ? 1 : end - begin);
            continue;
        }
        if (TP_ANALYZER == 2 && work->n_tokens == 0)
            tp_add_character(work, " ", 1);
        tp_add_character(work, work->text + begin, end - begin);
        if (TP_ANALYZER == 2 && (end == work->n || work->classes[end] == TP_SPACE)) {
            tp_add_character(work, " ", 1);
            tp_count_run(work);
        }
    }
    if (TP_ANALYZER == 1)
        tp_count_run(work);
}

#endif

/* ---- Scores -------------------------------------------------------------------------------------------------- */

/* Sort numbers by merging; `spare` has as much room. */
static void tp_sort(uint32_t *numbers, uint32_t *spare, size_t n)
{
    size_t width, start;
    for (width = 1; width < n; width *= 2) {
        for (start = 0; start < n; start += 2 * width) {
            size_t middle = start + width < n ? start + width : n, end = start + 2 * width < n ? start + 2 * width : n;
            size_t i = start, j = middle, k;
            for (k = start; k < end; k++)
                spare[k] = i < middle && (j == end || numbers[i] <= numbers[j]) ? numbers[i++] : numbers[j++];
        }
        memcpy(numbers, spare, n * sizeof *numbers);
    }
}

/* Turn sorted keys into columns and values; return their number. */
static size_t tp_make_row(uint32_t *keys, size_t n_keys, tp_number *values)
{
    size_t k, n = 0, whole;
    double squares[4] = {0, 0, 0, 0}, length;
    for (k = 0; k < n_keys; k++) {
        uint32_t column = keys[k] >> TP_SIGNED;
        tp_number one = (tp_number)(TP_SIGNED && (keys[k] & 1) ? -1 : 1);
        if (n == 0 || keys[n - 1] != column) {
            keys[n] = column;
            values[n++] = 0;
        }
        values[n - 1] += one;
    }
    whole = n - n % 4;
    for (k = 0; k < n; k++) {
        if (TP_BINARY)
            values[k] = 1;
        if (TP_SUBLINEAR && values[k] > 1)
            values[k] = (tp_number)(1 + log((double)values[k]));
        else if (TP_SUBLINEAR && values[k] < -1)
            values[k] = (tp_number)(-1 - log(-(double)values[k]));
        if (keys[k] + 1 > TP_N_WORDS) /* columns from here on are n-grams of characters */
            values[k] = (tp_number)((double)values[k] * TP_CHARACTER_WEIGHT);
        squares[k < whole ? k % 4 : 0] += (double)values[k] * values[k];
    }
    length = sqrt((squares[0] + squares[1]) + (squares[2] + squares[3]));
    if (TP_UNIT_ROWS && length > 0)
        for (k = 0; k < n; k++)
            values[k] = (tp_number)((double)values[k] / length);
    return n;
}

/* Products of the row and the weights, plus the intercept, for every score or class pair. `sums` has four zeros for
   each; the first quarter of it gets the results. */
static void tp_multiply(const uint32_t *columns, const tp_number *values, size_t n, double *sums)
{
    size_t k, c, whole = n - n % 4;
    for (k = 0; k < n; k++) {
        double *lane = sums + (k < whole ? k % 4 : 0) * TP_N_PRODUCTS, value = values[k];
#if TP_PAIRS
        for (c = tp_pair_starts[columns[k]]; c < tp_pair_starts[columns[k] + 1]; c++)
            lane[tp_pair_numbers[c]] += value * (double)tp_weights[c];
#else
        const tp_number *weights = tp_weights + (size_t)columns[k] * TP_N_PRODUCTS;
        for (c = 0; c < TP_N_PRODUCTS; c++)
            lane[c] += value * (double)weights[c];
#endif
    }
    for (c = 0; c < TP_N_PRODUCTS; c++) {
        double *sum = sums + c;
        *sum = (sum[0] + sum[TP_N_PRODUCTS]) + (sum[2 * TP_N_PRODUCTS] + sum[3 * TP_N_PRODUCTS]);
        *sum += (double)tp_intercepts[c];
    }
}

/* Write the scores, return the class. */
static int tp_decide(const double *found, double *scores)
{
    int best = 0, c;
#if TP_PAIRS /* the class with most votes; the summed scores break ties */
    double votes[TP_N_CLASSES] = {0}, confidence[TP_N_CLASSES] = {0};
    for (c = 0; c < TP_N_PRODUCTS; c++) {
        votes[found[c] > 0 ? tp_upper_class[c] : tp_lower_class[c]] += 1;
        confidence[tp_upper_class[c]] += found[c];
        confidence[tp_lower_class[c]] -= found[c];
    }
    for (c = 0; c < TP_N_CLASSES; c++) {
        if (votes[c] > votes[best] || (votes[c] == votes[best] && confidence[c] > confidence[best]))
            best = c;
        scores[c] = votes[c] + confidence[c] / (3 * (fabs(confidence[c]) + 1));
    }
    return best;
#else
    for (c = 0; c < TP_N_SCORES; c++) {
        scores[c] = found[c];
        if (found[c] > found[best])
            best = c;
    }
    return TP_N_SCORES == 1 ? found[0] > 0 : best;
#endif
}

int tp_classify(const char *text, size_t length, double *scores)
{
    tp_work work = {0};
    uint32_t *spare = NULL;
    tp_number *values = NULL;
    double *sums = NULL;
    int found = -1;
    tp_prepare(&work, (const unsigned char *)text, length);
    if (!work.failed)
        tp_find_terms(&work);
    if (!work.failed) {
        spare = malloc((work.n_keys + 1) * sizeof *spare);
        values = malloc((work.n_keys + 1) * sizeof *values);
        sums = calloc(4 * TP_N_PRODUCTS, sizeof *sums);
        if (spare != NULL && values != NULL && sums != NULL) {
            tp_sort(work.keys, spare, work.n_keys);
            tp_multiply(work.keys, values, tp_make_row(work.keys, work.n_keys, values), sums);
            found = tp_decide(sums, scores);
        }
    }
    free(sums);
    free(values);
    free(spare);
    free(work.keys);
    free(work.name);
    free(work.stops);
    free(work.starts);
    free(work.words);
    free(work.classes);
    free(work.text);
    return found;
}

#if TP_CALIBRATION /* 1: a sigmoid for two classes, 2: a softmax for more */
void tp_probabilities(const double *scores, double *probabilities)
{
#if TP_CALIBRATION == 1
    double x = TP_SLOPE * scores[0] + TP_OFFSET, small = exp(-fabs(x));
    probabilities[1] = x >= 0 ? 1 / (1 + small) : small / (1 + small);
    probabilities[0] = 1 - probabilities[1];
#else
    double largest = TP_SHARPNESS * scores[0], total = 0;
    int c;
    for (c = 0; c < TP_N_CLASSES; c++)
        largest = TP_SHARPNESS * scores[c] > largest ? TP_SHARPNESS * scores[c] : largest;
    for (c = 0; c < TP_N_CLASSES; c++)
        total += probabilities[c] = exp(TP_SHARPNESS * scores[c] - largest);
    for (c = 0; c < TP_N_CLASSES; c++)
        probabilities[c] /= total;
#endif
}
#endif

#ifndef TP_NO_MAIN
int main(void)
{
    static double scores[TP_N_SCORES];
    char *line = NULL, *larger;
    size_t n = 0, size = 0;
    int c, code;
    do {
        c = getchar();
        if (c != EOF && c != '\n') {
            if (n == size) {
                size = 2 * size + 4096;
                larger = realloc(line, size);
                if (larger == NULL)
                    goto no_memory;
                line = larger;
            }
            line[n++] = (char)c;
        } else if (c == '\n' || n > 0) {
            if (n > 0 && line[n - 1] == '\r')
                n--;
            code = tp_classify(line, n, scores);
            if (code < 0)
                goto no_memory;
            fputs(tp_labels[code], stdout);
            if (TP_N_SCORES == 1)
                printf("\t%.6g", 0 - scores[0]);
            for (code = 0; code < TP_N_SCORES; code++)
                printf("\t%.6g", scores[code]);
            putchar('\n');
            n = 0;
        }
    } while (c != EOF);
    free(line);
    return fflush(stdout) == 0 && !ferror(stdin) ? 0 : 1;
no_memory:
    free(line);
    fputs("not enough memory for this text\n", stderr);
    return 1;
}
#endif
