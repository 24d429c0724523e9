//! Answers that are ready but for their id.

use std::collections::HashSet;
use std::sync::Arc;

use foldhash::fast::RandomState;
use rhizome_primitives::{B256, hex};

use crate::block_names::BlockNames;
use crate::encoded_object_cache::{EncodedObjectCache, ObjectBlock, TextKind};
use crate::output::Output;

/// Blocks that are known to be canonical at once; beyond, all are asked for again.
const MOST_KNOWN: usize = 65_536;

/// `["0x…"]`.
const HASH_PARAMS: usize = 70;

/// What a method tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The receipt of a transaction by its hash.
    Receipt,
    /// A transaction by its hash.
    Transaction,
    /// A block by its number or tag, and whether with full transactions.
    Block,
}

/// What became of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Answered with so many bytes.
    Written(usize),
    /// Not in the ordinary form, or nothing is ready: left to others.
    Declined,
    /// To be asked again when [`EncodedAnswers::unknown`] is known.
    Unknown,
}

/// What has to be known of the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// Whether the block is canonical.
    Canonical(ObjectBlock),
    /// The hash of the block of a name.
    Name(String),
}

/// Answers from encoded objects at one head of the chain. What it does not know of the chain it is told.
pub struct EncodedAnswers {
    texts: Arc<EncodedObjectCache>,
    canonical: HashSet<B256, RandomState>,
    names: BlockNames,
    unknown: Option<Unknown>,
}

impl EncodedAnswers {
    /// Nothing of the chain is known.
    pub fn new(texts: Arc<EncodedObjectCache>) -> Self {
        Self { texts, canonical: HashSet::default(), names: BlockNames::default(), unknown: None }
    }

    /// Forgets what is known of the chain: the head changed.
    pub fn forget(&mut self) {
        self.canonical.clear();
        self.names.forget();
    }

    /// What the last call did not know.
    pub fn unknown(&self) -> Option<&Unknown> {
        self.unknown.as_ref()
    }

    /// Says that a block is canonical.
    pub fn confirm(&mut self, block_hash: B256) {
        if self.canonical.len() >= MOST_KNOWN {
            self.canonical.clear();
        }
        self.canonical.insert(block_hash);
    }

    /// Says which block a name stands for.
    pub fn name(&mut self, name: &[u8], block_hash: B256) {
        self.names.set(name, block_hash);
    }

    /// Answers a request. `id` and `params` are JSON text.
    pub fn answer(&mut self, subject: Subject, id: &[u8], params: &[u8], out: &mut [u8]) -> Outcome {
        match subject {
            Subject::Receipt => self.of_transaction(TextKind::Receipt, id, params, out),
            Subject::Transaction => self.of_transaction(TextKind::Transaction, id, params, out),
            Subject::Block => self.block(id, params, out),
        }
    }

    fn of_transaction(&mut self, kind: TextKind, id: &[u8], params: &[u8], out: &mut [u8]) -> Outcome {
        let Some(hash) = parse_hash(params) else { return Outcome::Declined };
        let Self { texts, canonical, unknown, .. } = self;
        let answered = texts.with_text(kind, hash, |text| {
            if canonical.contains(&text.place.block_hash) {
                return write_answer(id, &text.json, out);
            }
            *unknown = Some(Unknown::Canonical(text.place));
            Outcome::Unknown
        });
        answered.unwrap_or(Outcome::Declined)
    }

    fn block(&mut self, id: &[u8], params: &[u8], out: &mut [u8]) -> Outcome {
        let Some((name, kind)) = parse_block(params) else { return Outcome::Declined };
        let Some(hash) = self.names.get(name) else {
            self.unknown = Some(Unknown::Name(String::from_utf8_lossy(name).into_owned()));
            return Outcome::Unknown;
        };
        self.texts.with_text(kind, hash, |text| write_answer(id, &text.json, out)).unwrap_or(Outcome::Declined)
    }
}

fn write_answer(id: &[u8], json: &[u8], out: &mut [u8]) -> Outcome {
    let mut output = Output::new(out);
    let mut write = || {
        output.put_head(id)?;
        output.put_result()?;
        output.put(json)?;
        output.put(b"}")
    };
    match write() {
        Some(()) => Outcome::Written(output.length()),
        None => Outcome::Declined,
    }
}

fn parse_hash(params: &[u8]) -> Option<B256> {
    let digits = params.strip_prefix(b"[\"0x")?.strip_suffix(b"\"]")?;
    let mut hash = B256::ZERO;
    if params.len() != HASH_PARAMS {
        return None;
    }
    hex::decode_to_slice(digits, hash.as_mut_slice()).ok()?;
    Some(hash)
}

/// The name and the form of `["NAME",true]`; as everywhere, without further parameters hashes are meant.
fn parse_block(params: &[u8]) -> Option<(&[u8], TextKind)> {
    let rest = params.strip_prefix(b"[\"")?;
    let end = rest.iter().position(|&byte| byte == b'"')?;
    let (name, rest) = rest.split_at(end);
    let kind = match rest {
        b"\",true]" | b"\", true]" => TextKind::FullBlock,
        b"\",false]" | b"\", false]" => TextKind::Block,
        _ => return None,
    };
    // Other characters could be escapes.
    name.iter().all(u8::is_ascii_alphanumeric).then_some((name, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: ObjectBlock = ObjectBlock { block_hash: B256::repeat_byte(7), block_number: 9 };

    fn ask(answers: &mut EncodedAnswers, subject: Subject, params: &str) -> (Outcome, String) {
        let mut out = [0; 256];
        let outcome = answers.answer(subject, b"42", params.as_bytes(), &mut out);
        let length = if let Outcome::Written(length) = outcome { length } else { 0 };
        (outcome, String::from_utf8_lossy(&out[..length]).into_owned())
    }

    #[test]
    fn a_receipt_is_the_answer_while_its_block_is_canonical() {
        let texts = Arc::new(EncodedObjectCache::new(1 << 20));
        let mut answers = EncodedAnswers::new(texts.clone());
        let hash = B256::repeat_byte(0xab);
        let params = format!("[\"{hash}\"]");
        assert_eq!(ask(&mut answers, Subject::Receipt, &params).0, Outcome::Declined);
        texts.keep_text(TextKind::Receipt, hash, BLOCK, b"{\"a\":1}");
        assert_eq!(ask(&mut answers, Subject::Receipt, &params).0, Outcome::Unknown);
        assert_eq!(answers.unknown(), Some(&Unknown::Canonical(BLOCK)));
        answers.confirm(BLOCK.block_hash);
        let expected = r#"{"jsonrpc":"2.0","id":42,"result":{"a":1}}"#;
        assert_eq!(ask(&mut answers, Subject::Receipt, &params).1, expected);
        assert_eq!(ask(&mut answers, Subject::Transaction, &params).0, Outcome::Declined);
        answers.forget();
        assert_eq!(ask(&mut answers, Subject::Receipt, &params).0, Outcome::Unknown);
        for odd in [
            "",
            "[]",
            "{}",
            "[\"0x12\"]",
            "[\"\\u0030x\"]",
            &params.replace("ab\"", "zz\""),
            &format!("[\"{hash}\",1]"),
        ] {
            assert_eq!(ask(&mut answers, Subject::Receipt, odd).0, Outcome::Declined, "{odd}");
        }
        assert_eq!(answers.answer(Subject::Receipt, b"42", params.as_bytes(), &mut [0; 8]), Outcome::Unknown);
        answers.confirm(BLOCK.block_hash);
        assert_eq!(answers.answer(Subject::Receipt, b"42", params.as_bytes(), &mut [0; 8]), Outcome::Declined);
    }

    #[test]
    fn a_block_is_found_by_what_its_name_stands_for() {
        let texts = Arc::new(EncodedObjectCache::new(1 << 20));
        let mut answers = EncodedAnswers::new(texts.clone());
        texts.keep_text(TextKind::FullBlock, BLOCK.block_hash, BLOCK, b"{}");
        assert_eq!(ask(&mut answers, Subject::Block, "[\"latest\",true]").0, Outcome::Unknown);
        assert_eq!(answers.unknown(), Some(&Unknown::Name("latest".into())));
        answers.name(b"latest", BLOCK.block_hash);
        let expected = r#"{"jsonrpc":"2.0","id":42,"result":{}}"#;
        assert_eq!(ask(&mut answers, Subject::Block, "[\"latest\",true]").1, expected);
        assert_eq!(ask(&mut answers, Subject::Block, "[\"latest\", true]").1, expected);
        assert_eq!(ask(&mut answers, Subject::Block, "[\"latest\",false]").0, Outcome::Declined);
        for odd in ["[\"latest\"]", "[\"latest\",1]", "[\"la\\u0074est\",true]", "[\"latest,true]", "[1,true]"] {
            assert_eq!(ask(&mut answers, Subject::Block, odd).0, Outcome::Declined, "{odd}");
        }
    }
}
