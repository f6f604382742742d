"""The token rule ``any-script``: words of every script, characters of scripts without spaces, sequences of emoji.

It changes the class bytes of a text (unicode.pxd) before tokens are found in them. A mark or joiner gets the class of
the character before it. A character of a script without spaces becomes a token of its own, like punctuation, but with a
bit that keeps it from ending a clause. Emoji after a joiner, and the second letter of a flag, continue a token.
"""

from libc.stdint cimport uint8_t

from textperceptron._kernels cimport script_classes  # no-cython-lint
from textperceptron._kernels.unicode cimport WORD  # no-cython-lint

cdef extern from *:
    """
    #define TP_ATTACHED 1
    #define TP_UNSPACED 2
    #define TP_SYLLABLE 3
    #define TP_UNSPACED_BIT 16 /* of a class byte, beside TP_MARK and TP_MARK_MORE */

    static unsigned char tp_script_table[65536];

    static int tp_is_within(const Py_UCS4 ranges[][2], Py_ssize_t n, Py_UCS4 c) {
        Py_ssize_t low = 0, high = n;
        while (low < high) {
            Py_ssize_t middle = (low + high) / 2;
            if (ranges[middle][1] < c)
                low = middle + 1;
            else
                high = middle;
        }
        return low < n && ranges[low][0] <= c;
    }

    static unsigned char tp_find_script(Py_UCS4 c) {
        if (tp_is_within(tp_attached, sizeof tp_attached / sizeof *tp_attached, c))
            return TP_ATTACHED;
        if (tp_is_within(tp_unspaced, sizeof tp_unspaced / sizeof *tp_unspaced, c))
            return TP_UNSPACED;
        return tp_is_within(tp_syllables, sizeof tp_syllables / sizeof *tp_syllables, c) ? TP_SYLLABLE : 0;
    }

    #define TP_FILL_SCRIPT(RANGES, CLASS)                                                                      \
        for (size_t k = 0; k < sizeof RANGES / sizeof *RANGES && RANGES[k][0] < 65536; k++)                    \
            memset(tp_script_table + RANGES[k][0], CLASS, RANGES[k][1] - RANGES[k][0] + 1)
    static void tp_fill_scripts(void) { /* no range crosses U+10000 */
        TP_FILL_SCRIPT(tp_attached, TP_ATTACHED);
        TP_FILL_SCRIPT(tp_unspaced, TP_UNSPACED);
        TP_FILL_SCRIPT(tp_syllables, TP_SYLLABLE);
    }

    /* The script class of the UTF-8 character at p, and its length in bytes. Below U+0300 there is none. */
    static inline unsigned char tp_script_at(const unsigned char* p, int* size) {
        if (p[0] < 0xE0) {
            *size = 2;
            return tp_script_table[(p[0] & 0x1F) << 6 | (p[1] & 0x3F)];
        }
        if (p[0] < 0xF0) {
            *size = 3;
            return tp_script_table[(p[0] & 0x0F) << 12 | (p[1] & 0x3F) << 6 | (p[2] & 0x3F)];
        }
        *size = 4;
        return tp_find_script(
            (Py_UCS4)(p[0] & 0x07) << 18 | (Py_UCS4)(p[1] & 0x3F) << 12 | (Py_UCS4)(p[2] & 0x3F) << 6 | (p[3] & 0x3F));
    }

    static inline int tp_is_joiner(const unsigned char* p) {
        return p[0] == 0xE2 && p[1] == 0x80 && p[2] == 0x8D;
    }

    static inline int tp_is_flag_letter(const unsigned char* p) {
        return p[0] == 0xF0 && p[1] == 0x9F && p[2] == 0x87 && p[3] >= 0xA6;
    }

    static void tp_apply_scripts(const unsigned char* utf8, Py_ssize_t n, unsigned char* classes) {
        for (Py_ssize_t i = 0; i < n;) {
            const unsigned char* p = utf8 + i;
            unsigned char script, before;
            int size;
            if (p[0] < 0xCC) { /* ASCII, later bytes of a character, or below U+0300 */
                i++;
                continue;
            }
            script = tp_script_at(p, &size);
            if (script == TP_UNSPACED) {
                memset(classes + i, TP_UNSPACED_BIT | TP_MARK_MORE, (size_t)size);
                classes[i] = TP_UNSPACED_BIT | TP_MARK;
            } else if (script == TP_ATTACHED) {
                before = i > 0 ? classes[i - 1] : TP_SPACE;
                if (before == TP_WORD)
                    memset(classes + i, TP_WORD, (size_t)size);
                else if (before & (TP_MARK | TP_MARK_MORE))
                    memset(classes + i, (before & TP_UNSPACED_BIT) | TP_MARK_MORE, (size_t)size);
            } else if (classes[i] == TP_MARK) {
                if ((i > 3 && classes[i - 3] == TP_MARK_MORE && tp_is_joiner(p - 3))
                    || (i > 3 && classes[i - 4] == TP_MARK && tp_is_flag_letter(p) && tp_is_flag_letter(p - 4)))
                    memset(classes + i, TP_MARK_MORE, (size_t)size);
            }
            i += size;
        }
    }

    /* Whether a token is a character of a script without spaces. */
    static inline int tp_is_unspaced(const unsigned char* token) {
        int size;
        return token[0] >= 0xCC && tp_script_at(token, &size) == TP_UNSPACED;
    }

    /* Whether the first character of a token is a syllable. */
    static inline int tp_is_syllable(const unsigned char* token) {
        int size;
        return token[0] >= 0xE1 && tp_script_at(token, &size) == TP_SYLLABLE;
    }
    """
    void fill_scripts "tp_fill_scripts"() noexcept nogil
    uint8_t find_script "tp_find_script"(Py_UCS4 c) noexcept nogil
    void apply_scripts "tp_apply_scripts"(const uint8_t* utf8, Py_ssize_t n, uint8_t* classes) noexcept nogil
    bint is_unspaced "tp_is_unspaced"(const uint8_t* token) noexcept nogil
    bint is_syllable "tp_is_syllable"(const uint8_t* token) noexcept nogil
