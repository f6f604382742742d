/* A text classifier of textperceptron: text in, label out, with the contribution of each term.

   textClassifier(model) takes the data of a model, as `model_data` in textperceptron/export/javascript.py writes it,
   and returns an object:

     classes              the labels
     classify(text)       { label, scores, probabilities, terms }
     classify(text, of)   the same, with the contributions to the score of the label `of`
     predict(text)        the label alone
     terms(text)          all terms of a text, known to the model or not: [{ name, start, end }]
     words(text)          the offsets of its words, marks and emoji, in every script: [{ start, end }]
     weight(term, of)     the weight of a term for the label `of`; null if the model does not know the term
     intercept(of)        what a text without terms has as the score of the label `of`

   scores has one number per label, in the order of classes. With two classes, they are −score and score. probabilities
   is null unless the model is calibrated. The terms of classify are [{ name, start, end, contribution }], in the order
   of the text: start and end are offsets for text.slice(), and a contribution is what the term adds to the score of
   the label. A term that occurs several times is listed several times, with equal parts of its contribution: the sum of
   all contributions and the intercept is the score. (One-vs-one: the summed score, which breaks ties of votes.)

   Tokens, sums and labels are, to the last bit, those of Python. Nothing depends on the engine's tables of characters:
   the model has its own. A string is read as UTF-16: two surrogates in a row are one character. */
"use strict";

function textClassifier(model) {
  const text = model.text;

  // ---- Characters -------------------------------------------------------------------------------------------------

  // Classes of UTF-16 units. A word is a run of WORD, any other token begins with MARK and continues with MORE.
  const SPACE = 0, WORD = 1, MARK = 2, MORE = 4, UNSPACED = 16;
  // Script classes of characters.
  const ATTACHED = 1, WITHOUT_SPACES = 2, SYLLABLE = 3;
  // Bits of the properties of characters.
  const CASED = 16, IGNORABLE = 32, CAPITAL = 64, ACCENTED = 128;
  const DOTTED_I = 0x130, SIGMA = 0x3a3, SMALL_SIGMA = 0x3c3, FINAL_SIGMA = 0x3c2, JOINER = 0x200d;

  const properties = new Uint8Array(0x110000);
  for (let k = 0, start = 0; k < model.unicode.runs.length; k += 2) {
    const end = start + model.unicode.runs[k];
    properties.fill(model.unicode.runs[k + 1], start, end);
    start = end;
  }
  const lowerCase = new Map();
  for (let k = 0; k < model.unicode.lower.length; k += 4) {
    const [first, last, step, delta] = model.unicode.lower.slice(k, k + 4);
    for (let point = first; point <= last; point += step) lowerCase.set(point, point + delta);
  }
  const accents = new Map(model.unicode.accents);

  const classOf = (point) => properties[point] & 3;
  const scriptOf = (point) => (properties[point] >> 2) & 3;
  const width = (point) => (point > 0xffff ? 2 : 1);
  const isWordPoint = (point) => classOf(point) === WORD;
  const isFlagLetter = (point) => point >= 0x1f1e6 && point <= 0x1f1ff;

  function pointBefore(string, at) {
    const unit = string.charCodeAt(at - 1);
    if (unit >= 0xdc00 && unit <= 0xdfff && at > 1) {
      const point = string.codePointAt(at - 2);
      if (point > 0xffff) return point;
    }
    return unit;
  }

  // A capital sigma becomes a final one after a letter and not before one; some marks in between do not count.
  function isFinalSigma(string, at) {
    let k = at, point;
    do {
      if (k === 0) return false;
      point = pointBefore(string, k);
      k -= width(point);
    } while (properties[point] & IGNORABLE);
    if (!(properties[point] & CASED)) return false;
    k = at + 1;
    do {
      if (k >= string.length) return true;
      point = string.codePointAt(k);
      k += width(point);
    } while (properties[point] & IGNORABLE);
    return !(properties[point] & CASED);
  }

  function lowered(string, at, point) {
    if (point === SIGMA) return String.fromCodePoint(isFinalSigma(string, at) ? FINAL_SIGMA : SMALL_SIGMA);
    if (point === DOTTED_I) return "i\u0307";
    return String.fromCodePoint(properties[point] & CAPITAL ? lowerCase.get(point) : point);
  }

  function withoutAccents(string) {
    let result = "";
    for (const character of string) {
      const point = character.codePointAt(0);
      if (properties[point] & ACCENTED) result += accents.get(point);
      else if (text.strip_accents === "unicode") result += decomposedHangul(point, character);
      else if (point < 0x80) result += character;
    }
    return result;
  }

  function decomposedHangul(point, character) {
    const syllable = point - 0xac00;
    if (syllable < 0 || syllable >= 11172) return character;
    const tail = syllable % 28;
    return String.fromCharCode(0x1100 + Math.floor(syllable / 588), 0x1161 + Math.floor((syllable % 588) / 28)) +
      (tail ? String.fromCharCode(0x11a7 + tail) : "");
  }

  // The text as tokens are found in it. Unit k of `clean` comes from the units from[k] to to[k] of the text; null if
  // all units have their own places.
  function prepare(string) {
    if (!text.lowercase && !text.strip_accents) return { clean: string, from: null, to: null };
    if (/^[\0-\x7f]*$/.test(string)) return { clean: text.lowercase ? string.toLowerCase() : string, from: null, to: null };
    const pieces = [], from = [], to = [];
    let moved = false;
    for (let at = 0; at < string.length; ) {
      const point = string.codePointAt(at), size = width(point);
      let piece = text.lowercase ? lowered(string, at, point) : string.slice(at, at + size);
      if (text.strip_accents) piece = withoutAccents(piece);
      moved = moved || piece.length !== size;
      for (let k = 0; k < piece.length; k++) {
        // The two units of one character have their own places.
        from.push(at + (piece.length === size ? k : 0));
        to.push(at + (piece.length === size ? k + 1 : size));
      }
      pieces.push(piece);
      at += size;
    }
    return { clean: pieces.join(""), from: moved ? from : null, to: moved ? to : null };
  }

  // The class of each unit, and a few spaces behind the text. With `scripts`, marks and joiners belong to the character
  // before them, characters of scripts without spaces are tokens, and so are sequences of emoji.
  function classesOf(clean, scripts) {
    const classes = new Uint8Array(clean.length + 4);
    for (let at = 0; at < clean.length; ) {
      const point = clean.codePointAt(at), size = width(point);
      let found = classOf(point);
      if (scripts && point >= 0x300) {
        const script = scriptOf(point), before = at > 0 ? classes[at - 1] : SPACE;
        if (script === WITHOUT_SPACES) {
          found = UNSPACED | MARK;
        } else if (script === ATTACHED) {
          if (before === WORD) found = WORD;
          else if (before & (MARK | MORE)) found = (before & UNSPACED) | MORE;
        } else if (found === MARK && at > 0) {
          const joined = before === MORE && clean.charCodeAt(at - 1) === JOINER;
          const paired = isFlagLetter(point) && at > 1 && classes[at - 2] === MARK && isFlagLetter(clean.codePointAt(at - 2));
          if (joined || paired) found = MORE;
        }
      }
      classes[at] = found;
      if (size === 2) classes[at + 1] = found & MARK ? (found & UNSPACED) | MORE : found;
      at += size;
    }
    return classes;
  }

  // Offsets of the characters from `start` to `end`, and `end`.
  function characterOffsets(string, start, end) {
    const offsets = [];
    for (let at = start; at < end; at += width(string.codePointAt(at))) offsets.push(at);
    offsets.push(end);
    return offsets;
  }

  // Below 0 if a sorts before b: by characters, where < compares UTF-16 units.
  function compare(a, b) {
    for (let k = 0; k < a.length && k < b.length; ) {
      const left = a.codePointAt(k), right = b.codePointAt(k);
      if (left !== right) return left - right;
      k += width(left);
    }
    return a.length - b.length;
  }

  // ---- Tokens -----------------------------------------------------------------------------------------------------

  const { single, marks } = text; // of the token pattern; marks: 0 none, 1 each, 2 runs, 3 by the rule of every script
  const negators = new Set(text.negators), stopWords = new Set(text.stop_words);

  // Apostrophes and hyphens do not end a clause.
  const isJoiner = (unit) => unit === 0x27 || unit === 0x2d || unit === 0x2019 || unit === 0x2010 || unit === 0x2011;

  function endsClause(clean, classes, start, end) {
    for (let at = start; at < end; at++) if (classes[at] === MARK && !isJoiner(clean.charCodeAt(at))) return true;
    return false;
  }

  // Whether n't ends two units after `end`, which is the end of a word in n.
  function isContraction(clean, classes, end) {
    const joiner = clean.charCodeAt(end);
    return isJoiner(joiner) && joiner !== 0x2d && /[nN]/.test(clean[end - 1]) && /[tT]/.test(clean.charAt(end + 1)) &&
      classes[end + 2] !== WORD;
  }

  function tokensOf(clean) {
    const classes = classesOf(clean, marks === 3);
    const tokens = [];
    let negated = false, lastEnd = 0, tail = -1;
    for (let begin = 0; begin < clean.length; ) {
      const isWord = classes[begin] === WORD;
      if (!isWord && !(marks && classes[begin] & MARK)) {
        begin++;
        continue;
      }
      let end = begin + 1;
      if (isWord) while (classes[end] === WORD) end++;
      else if (marks === 2) while (classes[end] & (MARK | MORE)) end++;
      else while (classes[end] & MORE) end++;
      const word = clean.slice(begin, end);
      let prefix = "";
      if (text.negation) {
        if (negated && endsClause(clean, classes, lastEnd, isWord ? begin : end)) negated = false;
        lastEnd = end;
        if (isWord) {
          if (negated && begin !== tail) prefix = "NOT_";
          const contracted = isContraction(clean, classes, end);
          if (contracted || negators.has(word)) {
            negated = true;
            prefix = "";
            if (contracted) tail = end + 1;
          }
        }
      }
      const isSingle = end - begin <= 2 && width(clean.codePointAt(begin)) === end - begin;
      if ((single || !isSingle) && !stopWords.has(word)) tokens.push({ name: prefix + word, start: begin, end });
      begin = end;
    }
    return tokens;
  }

  // ---- Terms: `add(name, start, end)` is called for every occurrence --------------------------------------------------

  function addTokenNgrams(tokens, add) {
    const [least, most] = text.ngram_range;
    for (let k = 0; k < tokens.length; k++) {
      let name = tokens[k].name;
      if (least === 1) add(name, tokens[k].start, tokens[k].end);
      for (let n = 2; n <= most && k + n <= tokens.length; n++) {
        name += " " + tokens[k + n - 1].name;
        if (n >= least) add(name, tokens[k].start, tokens[k + n - 1].end);
      }
    }
  }

  function addPrefixes(clean, tokens, add) {
    for (const { name, start, end } of tokens) {
      if (!isWordPoint(name.codePointAt(0)) || end - start <= text.prefixes) continue;
      const word = text.negation && name.length > 4 && name.startsWith("NOT_") ? name.slice(4) : name;
      const at = end - word.length; // a word that begins with NOT_ itself
      const offsets = characterOffsets(clean, at, end);
      if (offsets.length - 1 > text.prefixes) {
        add(clean.slice(at, offsets[text.prefixes]) + "*", at, offsets[text.prefixes]);
      }
    }
  }

  // N-grams of characters of scripts without spaces.
  function addUnspacedNgrams(tokens, add) {
    let run = 0;
    for (let k = 0; k < tokens.length; k++) {
      run = scriptOf(tokens[k].name.codePointAt(0)) === WITHOUT_SPACES ? run + 1 : 0;
      if (run < text.unspaced_n) continue;
      const members = tokens.slice(k - text.unspaced_n + 1, k + 1);
      add(members.map((token) => token.name).join(""), members[0].start, tokens[k].end);
    }
  }

  // N-grams of characters of words, both ends of which count as a character: ^goo, ~good, ~ood$.
  function addCharacterNgrams(clean, tokens, add) {
    for (const { name, start, end } of tokens) {
      const first = name.codePointAt(0);
      if (!isWordPoint(first) || scriptOf(first) === WITHOUT_SPACES) continue;
      const isNegated = text.negation && name.length > 4 && name.startsWith("NOT_");
      const at = end - (isNegated ? name.length - 4 : name.length);
      const offsets = characterOffsets(clean, at, end), n = offsets.length - 1;
      const isSyllables = scriptOf(clean.codePointAt(at)) === SYLLABLE;
      const span = isSyllables ? Math.max(2, (text.characters + 1) >> 1) : text.characters;
      for (let p = 0; p < n + 3 - span; p++) {
        const from = offsets[p ? p - 1 : 0], to = offsets[Math.min(p + span - 1, n)];
        add((p ? "~" : "^") + clean.slice(from, to) + (p + span === n + 2 ? "$" : ""), from, to);
      }
    }
  }

  function addConjunctions(tokens, add) {
    const pivots = text.pivots === null ? null : new Set(text.pivots);
    const isPivot = tokens.map((token) => pivots === null || pivots.has(token.name));
    for (let i = 0; i < tokens.length; i++) {
      const last = Math.min(i + text.max_distance, tokens.length - 1);
      for (let j = i + 1; j <= last; j++) {
        if (!isPivot[i] && !isPivot[j]) continue;
        const a = tokens[i].name, b = tokens[j].name, order = compare(a, b);
        if (order !== 0) add(order < 0 ? a + "-and-" + b : b + "-and-" + a, tokens[i].start, tokens[j].end);
      }
    }
  }

  // The analyzers char and char_wb: n-grams of all characters, or within words that have a space on either side.
  function addAnalyzerNgrams(clean, add) {
    const [least, most] = text.ngram_range;
    const classes = classesOf(clean, false);
    const withinWords = text.analyzer === "char_wb";
    let flat = "", starts = [], ends = [], offsets = []; // of the characters that n-grams are taken from
    const push = (character, start, end) => {
      offsets.push(flat.length);
      starts.push(start);
      ends.push(end);
      flat += character;
    };
    const addNgrams = () => {
      const size = offsets.length, first = withinWords && size < least ? size : least; // a short word counts once, whole
      offsets.push(flat.length);
      for (let n = first; n > 0 && n <= Math.max(most, first) && n <= size; n++) {
        for (let k = 0; k + n <= size; k++) add(flat.slice(offsets[k], offsets[k + n]), starts[k], ends[k + n - 1]);
      }
      flat = "";
      starts = [];
      ends = [];
      offsets = [];
    };
    for (let at = 0; at < clean.length; ) {
      let end = at + width(clean.codePointAt(at));
      if (classes[at] === SPACE) {
        while (end < clean.length && classes[end] === SPACE) end++;
        if (!withinWords) push(end - at > 1 ? " " : clean[at], at, end);
      } else {
        if (withinWords && offsets.length === 0) push(" ", at, at);
        push(clean.slice(at, end), at, end);
        if (withinWords && (end === clean.length || classes[end] === SPACE)) {
          push(" ", end, end);
          addNgrams();
        }
      }
      at = end;
    }
    if (!withinWords) addNgrams();
  }

  function addTerms(string, add) {
    const { clean, from, to } = prepare(string);
    const put = from === null ? add : (name, start, end) => {
      // An empty span is the space before or after a word.
      if (start < end) add(name, from[start], to[end - 1]);
      else add(name, start < from.length ? from[start] : string.length, start < from.length ? from[start] : string.length);
    };
    if (text.analyzer !== "word") return addAnalyzerNgrams(clean, put);
    const tokens = tokensOf(clean);
    addTokenNgrams(tokens, put);
    if (text.prefixes) addPrefixes(clean, tokens, put);
    if (text.unspaced_n) addUnspacedNgrams(tokens, put);
    if (text.characters) addCharacterNgrams(clean, tokens, put);
    if (text.max_distance) addConjunctions(tokens, put);
  }

  // ---- Columns ------------------------------------------------------------------------------------------------------

  const columnOf = new Map();
  if (model.names !== null) model.names.forEach((name, column) => columnOf.set(name, column));

  let bytes = new Uint8Array(256);

  // UTF-8, with three bytes for a lone surrogate; returns the number of bytes.
  function encode(string) {
    if (bytes.length < 3 * string.length) bytes = new Uint8Array(6 * string.length);
    let n = 0;
    for (let at = 0; at < string.length; ) {
      const point = string.codePointAt(at);
      if (point < 0x80) {
        bytes[n++] = point;
      } else if (point < 0x800) {
        bytes[n++] = 0xc0 | (point >> 6);
        bytes[n++] = 0x80 | (point & 63);
      } else {
        if (point < 0x10000) {
          bytes[n++] = 0xe0 | (point >> 12);
        } else {
          bytes[n++] = 0xf0 | (point >> 18);
          bytes[n++] = 0x80 | ((point >> 12) & 63);
        }
        bytes[n++] = 0x80 | ((point >> 6) & 63);
        bytes[n++] = 0x80 | (point & 63);
      }
      at += width(point);
    }
    return n;
  }

  // MurmurHash3 of 32 bits with seed 0, as a signed number.
  function murmur(string) {
    const n = encode(string), whole = n & ~3;
    const scramble = (block) => {
      block = Math.imul(block, 0xcc9e2d51);
      return Math.imul((block << 15) | (block >>> 17), 0x1b873593);
    };
    let hash = 0, last = 0;
    for (let k = 0; k < whole; k += 4) {
      hash ^= scramble(bytes[k] | (bytes[k + 1] << 8) | (bytes[k + 2] << 16) | (bytes[k + 3] << 24));
      hash = Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64;
    }
    for (let k = whole; k < n; k++) last |= bytes[k] << (8 * (k - whole));
    hash ^= scramble(last) ^ n;
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return hash ^ (hash >>> 16);
  }

  // The column of a term times 2, plus 1 if it counts as −1; −1 if it has none.
  function keyOf(name) {
    if (model.names !== null) {
      const column = columnOf.get(name);
      return column === undefined ? -1 : 2 * column;
    }
    const hash = murmur(name), negative = hash < 0;
    const column = ((negative ? -hash : hash) & (model.n_columns - 1)) >>> 0;
    return 2 * column + (model.signed && negative ? 1 : 0);
  }

  // ---- Scores -------------------------------------------------------------------------------------------------------

  const isDouble = model.dtype === "float64";
  const round = isDouble ? (number) => number : Math.fround;

  // Little-endian numbers of a base64 string.
  function numbers(base64, Kind) {
    const binary = atob(base64), raw = new Uint8Array(binary.length);
    for (let k = 0; k < binary.length; k++) raw[k] = binary.charCodeAt(k);
    const size = Kind.BYTES_PER_ELEMENT, view = new DataView(raw.buffer), found = new Kind(raw.length / size);
    const read = Kind === Float64Array ? "getFloat64" : Kind === Float32Array ? "getFloat32" : "getInt32";
    for (let k = 0; k < found.length; k++) found[k] = view[read](k * size, true);
    return found;
  }

  const Weights = isDouble ? Float64Array : Float32Array;
  const weights = numbers(model.weights, Weights), intercepts = numbers(model.intercepts, Weights);
  const nScores = intercepts.length; // one for two classes; one per class pair for one-vs-one
  const pairs = model.pairs && {
    starts: numbers(model.pairs.starts, Int32Array), numbers: numbers(model.pairs.numbers, Int32Array),
    lower: model.pairs.lower, upper: model.pairs.upper,
  };

  // Columns and values of a text, columns ascending.
  function rowOf(keys) {
    const sorted = Float64Array.from(keys).sort(), columns = [], values = [];
    for (let k = 0; k < sorted.length; k++) {
      const column = Math.floor(sorted[k] / 2), one = 1 - 2 * (sorted[k] % 2);
      if (columns.length === 0 || columns[columns.length - 1] !== column) {
        columns.push(column);
        values.push(0);
      }
      values[values.length - 1] += one;
    }
    let squares = [0, 0, 0, 0];
    const n = columns.length, whole = n - (n % 4);
    for (let k = 0; k < n; k++) {
      let value = text.binary ? 1 : round(values[k]);
      if (text.sublinear_tf && value > 1) value = round(1 + Math.log(value));
      else if (text.sublinear_tf && value < -1) value = round(-1 - Math.log(-value));
      if (columns[k] >= model.n_words) value = round(value * text.character_weight);
      values[k] = value;
      squares[k < whole ? k % 4 : 0] += value * value;
    }
    const length = Math.sqrt(squares[0] + squares[1] + (squares[2] + squares[3]));
    if (text.unit_rows && length > 0) for (let k = 0; k < n; k++) values[k] = round(values[k] / length);
    return { columns, values };
  }

  // x·w plus the intercept, for every score or class pair: four sums each, in the order of the kernels.
  function products({ columns, values }) {
    const n = columns.length, whole = n - (n % 4), sums = new Float64Array(4 * nScores);
    for (let k = 0; k < n; k++) {
      const lane = (k < whole ? k % 4 : 0) * nScores, value = values[k], column = columns[k];
      if (pairs) {
        for (let at = pairs.starts[column]; at < pairs.starts[column + 1]; at++) {
          sums[lane + pairs.numbers[at]] += value * weights[at];
        }
      } else {
        for (let c = 0, at = column * nScores; c < nScores; c++, at++) sums[lane + c] += value * weights[at];
      }
    }
    const found = new Float64Array(nScores);
    for (let c = 0; c < nScores; c++) {
      found[c] = sums[c] + sums[nScores + c] + (sums[2 * nScores + c] + sums[3 * nScores + c]) + intercepts[c];
    }
    return found;
  }

  // The class and the scores of a row.
  function decide(row) {
    const found = products(row), nClasses = model.classes.length;
    if (nClasses === 2) return { code: found[0] > 0 ? 1 : 0, scores: [-found[0], found[0]] };
    if (!pairs) {
      let code = 0;
      for (let c = 1; c < nClasses; c++) if (found[c] > found[code]) code = c;
      return { code, scores: Array.from(found) };
    }
    const votes = new Float64Array(nClasses), confidence = new Float64Array(nClasses);
    for (let p = 0; p < nScores; p++) {
      votes[found[p] > 0 ? pairs.upper[p] : pairs.lower[p]] += 1;
      confidence[pairs.upper[p]] += found[p];
      confidence[pairs.lower[p]] -= found[p];
    }
    let code = 0;
    for (let c = 1; c < nClasses; c++) {
      if (votes[c] > votes[code] || (votes[c] === votes[code] && confidence[c] > confidence[code])) code = c;
    }
    return { code, scores: Array.from(votes, (n, c) => n + confidence[c] / (3 * (Math.abs(confidence[c]) + 1))) };
  }

  function probabilitiesOf(scores) {
    if (model.calibration === null) return null;
    if (scores.length === 2) {
      const x = model.calibration.slope * scores[1] + model.calibration.offset, small = Math.exp(-Math.abs(x));
      const upper = x >= 0 ? 1 / (1 + small) : small / (1 + small);
      return [1 - upper, upper];
    }
    const scaled = scores.map((score) => model.calibration.sharpness * score), largest = Math.max(...scaled);
    const powers = scaled.map((x) => Math.exp(x - largest)), total = powers.reduce((sum, each) => sum + each, 0);
    return powers.map((each) => each / total);
  }

  // What a column adds to the score of a class, per unit of its value.
  function weightFor(column, code) {
    if (!pairs) return nScores === 1 ? (code ? 1 : -1) * weights[column] : weights[column * nScores + code];
    let sum = 0;
    for (let at = pairs.starts[column]; at < pairs.starts[column + 1]; at++) {
      if (pairs.upper[pairs.numbers[at]] === code) sum += weights[at];
      else if (pairs.lower[pairs.numbers[at]] === code) sum -= weights[at];
    }
    return sum;
  }

  function predict(string) {
    const keys = [];
    addTerms(string, (name) => {
      const key = keyOf(name);
      if (key >= 0) keys.push(key);
    });
    return model.classes[decide(rowOf(keys)).code];
  }

  function classify(string, of) {
    const keys = [], terms = [], occurrences = new Map();
    addTerms(string, (name, start, end) => {
      const key = keyOf(name);
      if (key < 0) return;
      keys.push(key);
      terms.push({ name, start, end, contribution: 0 });
    });
    const row = rowOf(keys), { code, scores } = decide(row);
    const wanted = of === undefined ? code : codeOf(of);
    for (const key of keys) occurrences.set(key >> 1, (occurrences.get(key >> 1) ?? 0) + 1);
    const part = new Map();
    row.columns.forEach((column, k) => {
      part.set(column, (row.values[k] * weightFor(column, wanted)) / occurrences.get(column));
    });
    terms.forEach((term, k) => { term.contribution = part.get(keys[k] >> 1); });
    terms.sort((a, b) => a.start - b.start || a.end - b.end);
    return { label: model.classes[code], scores, probabilities: probabilitiesOf(scores), terms };
  }

  function termsOf(string) {
    const found = [];
    addTerms(string, (name, start, end) => found.push({ name, start, end }));
    return found;
  }

  // Isn't is one word: an apostrophe joins two words without spaces around it.
  function wordsIn(string) {
    const classes = classesOf(string, true), found = [];
    const isAlphanumeric = (point) => /[\p{L}\p{N}]/u.test(String.fromCodePoint(point));
    for (let begin = 0; begin < string.length; ) {
      const isWord = classes[begin] === WORD;
      if (!isWord && !(classes[begin] & MARK)) {
        begin++;
        continue;
      }
      let end = begin + 1;
      if (isWord) while (classes[end] === WORD) end++;
      else while (classes[end] & MORE) end++;
      const mark = found[found.length - 1], word = found[found.length - 2];
      if (word && mark.end === begin && word.end === begin - 1 && /['’]/.test(string[begin - 1]) &&
        isAlphanumeric(string.codePointAt(begin)) && isAlphanumeric(pointBefore(string, begin - 1))) {
        found.pop();
        word.end = end;
      } else {
        found.push({ start: begin, end });
      }
      begin = end;
    }
    return found;
  }

  function codeOf(label) {
    const code = model.classes.indexOf(label);
    if (code < 0) throw new RangeError(`${JSON.stringify(label)} is not one of the labels ${JSON.stringify(model.classes)}`);
    return code;
  }

  function weightOf(name, of) {
    const key = keyOf(name), code = codeOf(of);
    return key < 0 ? null : (key & 1 ? -1 : 1) * weightFor(key >> 1, code);
  }

  function interceptOf(of) {
    const code = codeOf(of);
    if (!pairs) return nScores === 1 ? (code ? 1 : -1) * intercepts[0] : intercepts[code];
    return intercepts.reduce((sum, each, p) => sum + (pairs.upper[p] === code ? each : pairs.lower[p] === code ? -each : 0), 0);
  }

  return {
    classes: model.classes, classify, predict, terms: termsOf, words: wordsIn, weight: weightOf, intercept: interceptOf,
  };
}
