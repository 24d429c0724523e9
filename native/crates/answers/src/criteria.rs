//! Which logs are meant.

use std::collections::HashSet;

use foldhash::fast::RandomState;
use rhizome_primitives::{Address, B256, hex};

/// More alternatives than these are looked up instead of compared one by one.
const MAX_COMPARED: usize = 8;

/// Addresses and topics that a log may have; empty lists match anything. A log must have as many topics as the
/// last position that is not empty.
pub struct LogCriteria {
    /// For addresses and topics as bytes.
    bytes: Matcher,
    /// For the same as hexadecimal digits.
    digits: Matcher,
}

impl LogCriteria {
    /// Criteria: any of the addresses, and by position any of the topics.
    pub fn new(addresses: &[Address], topics: &[Vec<B256>]) -> Self {
        let matcher = |form| Matcher::new(addresses, topics, form);
        Self { bytes: matcher(<[u8]>::to_vec), digits: matcher(|bytes| hex::encode(bytes).into_bytes()) }
    }

    pub(crate) fn bytes(&self) -> &Matcher {
        &self.bytes
    }

    pub(crate) fn digits(&self) -> &Matcher {
        &self.digits
    }
}

/// Criteria in one of the forms.
pub(crate) struct Matcher {
    addresses: Alternatives,
    topics: Vec<Alternatives>,
    least_topics: usize,
}

impl Matcher {
    /// Criteria in a form that addresses and topics are brought to.
    fn new(addresses: &[Address], topics: &[Vec<B256>], form: fn(&[u8]) -> Vec<u8>) -> Self {
        Self {
            addresses: Alternatives::new(addresses.iter().map(|address| form(address.as_slice()))),
            topics: topics
                .iter()
                .map(|alternatives| Alternatives::new(alternatives.iter().map(|topic| form(topic.as_slice()))))
                .collect(),
            least_topics: topics.iter().rposition(|alternatives| !alternatives.is_empty()).map_or(0, |last| last + 1),
        }
    }

    /// Criteria for bytes.
    pub(crate) fn of_bytes(addresses: &[Address], topics: &[Vec<B256>]) -> Self {
        Self::new(addresses, topics, <[u8]>::to_vec)
    }

    /// True when everything matches.
    pub(crate) fn takes_all(&self) -> bool {
        self.least_topics == 0 && self.addresses.takes_all()
    }

    /// True when a log matches; `topic` gives its topics by position, of which there are `topic_count`.
    pub(crate) fn matches<'a>(
        &self,
        address: &[u8],
        topic_count: usize,
        mut topic: impl FnMut(usize) -> &'a [u8],
    ) -> bool {
        topic_count >= self.least_topics
            && self.addresses.include(address)
            && self.topics[..self.least_topics]
                .iter()
                .enumerate()
                .all(|(position, alternatives)| alternatives.takes_all() || alternatives.include(topic(position)))
    }
}

/// Byte strings of which one has to occur; none means any.
enum Alternatives {
    Few(Vec<Vec<u8>>),
    Many(HashSet<Vec<u8>, RandomState>),
}

impl Alternatives {
    fn new(alternatives: impl ExactSizeIterator<Item = Vec<u8>>) -> Self {
        if alternatives.len() > MAX_COMPARED {
            Self::Many(alternatives.collect())
        } else {
            Self::Few(alternatives.collect())
        }
    }

    fn takes_all(&self) -> bool {
        matches!(self, Self::Few(few) if few.is_empty())
    }

    fn include(&self, bytes: &[u8]) -> bool {
        match self {
            Self::Few(few) => few.is_empty() || few.iter().any(|alternative| alternative == bytes),
            Self::Many(many) => many.contains(bytes),
        }
    }
}
