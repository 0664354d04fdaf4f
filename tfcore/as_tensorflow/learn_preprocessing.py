"""What `contrib.learn.preprocessing` has: texts and columns of categories as numbers of a vocabulary.

Number 0 is every unknown word; known ones are numbered from 1.
"""

import collections
import math
import pickle
import re

import numpy as np

from tfcore.platform.gfile_object import GFile

# Words. CamelCase is split before each capitalised word; a run of capitals is one word.
TOKENIZER_RE = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|['\w\-]+", re.UNICODE)


def tokenizer(iterator):
    """The words of each text, lists of str."""
    for text in iterator:
        yield TOKENIZER_RE.findall(text)


class CategoricalVocabulary:
    """Numbers of categories, in the order in which they come.

    Args:
      unknown_token: What number 0 stands for.
      support_reverse: Whether `reverse` is possible.
    """

    def __init__(self, unknown_token="<UNK>", support_reverse=True):
        self._unknown_token = unknown_token
        self._support_reverse = support_reverse
        self._freq = collections.defaultdict(int)
        self._freeze = False
        self._number([])

    def _number(self, categories):
        self._reverse_mapping = [self._unknown_token, *categories]
        self._mapping = {category: i for i, category in enumerate(self._reverse_mapping)}

    def __len__(self):
        return len(self._mapping)

    def freeze(self, freeze=True):
        """From now on, unknown categories have number 0 (or get a number again)."""
        self._freeze = freeze

    def get(self, category):
        """The number of a category, which gets one if it is new."""
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._mapping[category] = len(self._mapping)
            self._reverse_mapping.append(category)
        return self._mapping[category]

    def add(self, category, count=1):
        """Counts a category that came `count` times."""
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency, max_frequency=-1):
        """Keeps categories that occurred more than `min_frequency` and, if `max_frequency` is positive, fewer than
        `max_frequency` times.

        Numbers follow the frequency, the most frequent category first; of equally frequent ones the alphabet.
        """
        ordered = sorted(self._freq.items(), key=lambda item: (isinstance(item[0], str), item[0]))
        ordered.sort(key=lambda item: item[1], reverse=True)
        most = max_frequency if max_frequency > 0 else math.inf
        kept = {category: count for category, count in ordered if min_frequency < count < most}
        self._number(kept)
        self._freq = collections.defaultdict(int, kept)

    def reverse(self, class_id):
        """The category of a number.

        Raises:
          ValueError: It was made without `support_reverse`.
        """
        if not self._support_reverse:
            raise ValueError("This vocabulary wasn't initialized with support_reverse to support reverse() function.")
        return self._reverse_mapping[class_id]


class VocabularyProcessor:
    """Texts as vectors of numbers of words.

    Args:
      max_document_length: The length of each vector: longer texts are cut, shorter ones padded with 0.
      min_frequency: Words that occur at most this often are unknown.
      vocabulary: A `CategoricalVocabulary` (optional).
      tokenizer_fn: function(texts) -> iterable of lists of words (optional).
    """

    def __init__(self, max_document_length, min_frequency=0, vocabulary=None, tokenizer_fn=None):
        self.max_document_length = max_document_length
        self.min_frequency = min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents, unused_y=None):
        """Learns the words of texts; afterwards new words are unknown."""
        for words in self._tokenizer(raw_documents):
            for word in words:
                self.vocabulary_.add(word)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents, unused_y=None):
        """Calls fit, then transform; iterates over the input twice."""
        self.fit(raw_documents)
        return self.transform(raw_documents)

    def transform(self, raw_documents):
        """Yields an int64 vector for each text."""
        for words in self._tokenizer(raw_documents):
            numbers = np.zeros(self.max_document_length, np.int64)
            for i, word in enumerate(words[: self.max_document_length]):
                numbers[i] = self.vocabulary_.get(word)
            yield numbers

    def reverse(self, documents):
        """Yields the text of each vector, words between blanks."""
        for numbers in documents:
            yield " ".join(self.vocabulary_.reverse(number) for number in numbers)

    def save(self, filename):
        """Writes it to a file, for `restore`."""
        with GFile(filename, "wb") as file:
            file.write(pickle.dumps(self))

    @classmethod
    def restore(cls, filename):
        """Reads what `save` wrote. Only for files that you trust: they can run code."""
        with GFile(filename, "rb") as file:
            return pickle.loads(file.read())


class ByteProcessor:
    """Texts as vectors of the bytes of their UTF-8, padded with 0.

    Args:
      max_document_length: The length of each vector; longer texts are cut.
    """

    def __init__(self, max_document_length):
        self.max_document_length = max_document_length

    def fit(self, x):
        """Does nothing: there is nothing to learn."""
        return self

    def fit_transform(self, x):
        """The same as `transform`."""
        return self.transform(x)

    def transform(self, x):
        """Yields a uint8 vector for each text, str or bytes."""
        for text in x:
            data = text.encode("utf-8") if isinstance(text, str) else text
            numbers = np.frombuffer(data[: self.max_document_length], np.uint8)
            yield np.pad(numbers, (0, self.max_document_length - len(numbers)))

    @staticmethod
    def reverse(x):
        """Yields the text of each vector; "" where it is not valid UTF-8."""
        for numbers in x:
            data = np.trim_zeros(np.asarray(numbers).astype(np.uint8), trim="b").tobytes()
            try:
                yield data.decode("utf-8")
            except UnicodeDecodeError:
                yield ""


class CategoricalProcessor:
    """Rows of categories as vectors of numbers, with a vocabulary for each column.

    Args:
      min_frequency: Categories that occur at most this often are unknown.
      share: Whether all columns have one vocabulary.
      vocabularies: A list with a `CategoricalVocabulary` for each column (optional).
    """

    def __init__(self, min_frequency=0, share=False, vocabularies=None):
        self.min_frequency = min_frequency
        self.share = share
        self.vocabularies_ = vocabularies

    def freeze(self, freeze=True):
        """From now on, unknown categories have number 0 (or get a number again)."""
        for vocabulary in self.vocabularies_:
            vocabulary.freeze(freeze)

    def fit(self, x, unused_y=None):
        """Learns the categories of rows. NaN is unknown."""
        for row in x:
            if self.vocabularies_ is None:
                shared = CategoricalVocabulary()
                self.vocabularies_ = [shared if self.share else CategoricalVocabulary() for _ in row]
            for vocabulary, value in zip(self.vocabularies_, row):
                if not _is_nan(value):
                    vocabulary.add(value)
        if self.min_frequency > 0:
            for vocabulary in self.vocabularies_:
                vocabulary.trim(self.min_frequency)
        self.freeze()
        return self

    def fit_transform(self, x, unused_y=None):
        """Calls fit, then transform; iterates over the input twice."""
        self.fit(x)
        return self.transform(x)

    def transform(self, x):
        """Yields an int64 vector for each row."""
        self.freeze()
        for row in x:
            pairs = zip(self.vocabularies_, row)
            yield np.array([0 if _is_nan(value) else v.get(value) for v, value in pairs], np.int64)


def _is_nan(value):
    return isinstance(value, (float, np.floating)) and math.isnan(value)
