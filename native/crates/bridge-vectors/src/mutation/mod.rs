//! Mutated inputs of the primitives: recorded inputs with changes at random bytes and changes by the grammar of their
//! kind.
//!
//! The same seed gives the same inputs. They are run through the reference's library outside the repository; where its
//! result differs, the line is recorded (`bridge-primitives-mutated`).

mod blobs;
mod corpus;
mod headers;
mod scripts;
mod signatures;
mod spending;
mod transactions;
mod trees;
mod varint;

use fastrand::Rng;
use rhizome_primitives::hex;
use serde_json::{Value, json};

pub use corpus::Corpus;

/// The kinds of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Bitcoin transactions, and the hash and counts read from their bytes.
    Transactions,
    /// Scripts, redeem scripts among them.
    Scripts,
    /// Signatures in DER with the key that they are checked with.
    Signatures,
    /// Partial Merkle trees.
    Trees,
    /// Headers.
    Headers,
    /// Inputs that spend an output of a federation.
    Spending,
}

/// Every class with its name.
pub const CLASSES: &[(&str, Class)] = &[
    ("transactions", Class::Transactions),
    ("scripts", Class::Scripts),
    ("signatures", Class::Signatures),
    ("trees", Class::Trees),
    ("headers", Class::Headers),
    ("spending", Class::Spending),
];

/// An endless sequence of mutations of a class.
#[derive(Debug)]
pub struct Mutations<'a> {
    corpus: &'a Corpus,
    class: Class,
    random: Rng,
}

impl<'a> Mutations<'a> {
    /// The mutations of a seed.
    #[must_use]
    pub fn new(corpus: &'a Corpus, class: Class, seed: u64) -> Self {
        Self { corpus, class, random: Rng::with_seed(seed) }
    }
}

impl Iterator for Mutations<'_> {
    type Item = Value;

    /// `{"kind","in"}` of a bridge-primitives line.
    fn next(&mut self) -> Option<Value> {
        let (corpus, random) = (self.corpus, &mut self.random);
        Some(match self.class {
            Class::Transactions => {
                let kind = if random.u8(..8) == 0 { "btcTxFormat" } else { "btcTx" };
                line(kind, &[("raw", &transactions::mutated(corpus, random))])
            }
            Class::Scripts => line("script", &[("program", &scripts::mutated(corpus, random))]),
            Class::Signatures => {
                let (bytes, pubkey, hash) = signatures::mutated(corpus, random);
                line("der", &[("bytes", &bytes), ("pubkey", &pubkey), ("hash", &hash)])
            }
            Class::Trees => line("pmt", &[("raw", &trees::mutated(corpus, random))]),
            Class::Headers => line("header", &[("raw", &headers::mutated(corpus, random))]),
            Class::Spending => {
                let (transaction, script) = spending::mutated(corpus, random);
                line("correctlySpends", &[("tx", &transaction), ("scriptPubKey", &script)])
            }
        })
    }
}

fn line(kind: &str, given: &[(&str, &[u8])]) -> Value {
    let given = given.iter().map(|(name, bytes)| ((*name).to_owned(), json!(hex::encode_prefixed(bytes))));
    json!({"kind": kind, "in": given.collect::<serde_json::Map<_, _>>()})
}

/// One of several.
fn one_of<'a, T>(random: &mut Rng, of: &'a [T]) -> Option<&'a T> {
    random.choice(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_inputs_of_each_class() {
        let corpus = Corpus::recorded();
        for (name, class) in CLASSES {
            let take = |seed| Mutations::new(&corpus, *class, seed).take(100).collect::<Vec<_>>();
            assert_eq!(take(1), take(1), "{name}");
            assert_ne!(take(1), take(2), "{name}");
        }
    }
}
