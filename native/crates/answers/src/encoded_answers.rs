//! Answers that are ready but for their id.

use std::collections::HashSet;
use std::sync::Arc;

use foldhash::fast::RandomState;
use rhizome_primitives::{B256, hex};

use crate::block_names::BlockNames;
use crate::encoded_object_cache::{EncodedObjectCache, ObjectBlock, TextKind};
use crate::output::Output;

/// Blocks that are known to be canonical at once; beyond, all are asked for again.
const MAX_KNOWN: usize = 65_536;

/// Digits of a hash.
const HASH_DIGITS: usize = 64;

/// What a method tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The receipt of a transaction by its hash.
    Receipt,
    /// A transaction by its hash.
    Transaction,
    /// A block by its number or tag, and whether with full transactions.
    Block,
    /// A block by its hash, and whether with full transactions.
    BlockByHash,
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Answered with so many bytes.
    Written(usize),
    /// Not in the ordinary form, or nothing is ready: left to others.
    Declined,
    /// To be asked again when this is known.
    Unknown(Unknown),
}

/// What has to be known of the chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// True when the block is canonical.
    Canonical(ObjectBlock),
    /// Which block a name stands for.
    Name(String),
}

/// Answers from encoded objects at one head of the chain. What it does not know of the chain it is told.
pub struct EncodedAnswers {
    texts: Arc<EncodedObjectCache>,
    canonical: HashSet<B256, RandomState>,
}

impl EncodedAnswers {
    /// Nothing of the chain is known.
    pub fn new(texts: Arc<EncodedObjectCache>) -> Self {
        Self { texts, canonical: HashSet::default() }
    }

    /// Forgets what is known of the chain: the head changed.
    pub fn forget(&mut self) {
        self.canonical.clear();
    }

    /// Says that a block is canonical.
    pub fn confirm(&mut self, block_hash: B256) {
        if self.canonical.len() >= MAX_KNOWN {
            self.canonical.clear();
        }
        self.canonical.insert(block_hash);
    }

    /// Answers a request. `id` and `params` are JSON text.
    pub fn answer(&self, subject: Subject, names: &BlockNames, id: &[u8], params: &[u8], out: &mut [u8]) -> Outcome {
        let written = match subject {
            Subject::Receipt => self.mined(TextKind::Receipt, parse_hash(params), id, out),
            Subject::Transaction => self.mined(TextKind::Transaction, parse_hash(params), id, out),
            Subject::Block => self.named_block(names, id, params, out),
            Subject::BlockByHash => {
                let Some((hash, kind)) = parse_block(params) else { return Outcome::Declined };
                self.mined(kind, hash_of(hash), id, out)
            }
        };
        written.unwrap_or(Outcome::Declined)
    }

    /// The text of a hash, while its block is canonical: another one may be gone from the store.
    fn mined(&self, kind: TextKind, hash: Option<B256>, id: &[u8], out: &mut [u8]) -> Option<Outcome> {
        self.texts.with_text(kind, hash?, |text| {
            if self.canonical.contains(&text.place.block_hash) {
                return write_answer(id, &text.json, out);
            }
            Outcome::Unknown(Unknown::Canonical(text.place))
        })
    }

    fn named_block(&self, names: &BlockNames, id: &[u8], params: &[u8], out: &mut [u8]) -> Option<Outcome> {
        let (name, kind) = parse_block(params)?;
        let Some(block) = names.get(name) else {
            return Some(Outcome::Unknown(Unknown::Name(String::from_utf8_lossy(name).into_owned())));
        };
        self.texts.with_text(kind, block.hash, |text| write_answer(id, &text.json, out))
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
    hash_of(params.strip_prefix(b"[\"")?.strip_suffix(b"\"]")?)
}

fn hash_of(text: &[u8]) -> Option<B256> {
    let digits = text.strip_prefix(b"0x").filter(|digits| digits.len() == HASH_DIGITS)?;
    let mut hash = B256::ZERO;
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
    use crate::block_names::NamedBlock;

    const BLOCK: ObjectBlock = ObjectBlock { block_hash: B256::repeat_byte(7), block_number: 9 };

    struct Scene {
        texts: Arc<EncodedObjectCache>,
        answers: EncodedAnswers,
        names: BlockNames,
    }

    fn scene() -> Scene {
        let texts = Arc::new(EncodedObjectCache::new(1 << 20));
        Scene { answers: EncodedAnswers::new(texts.clone()), texts, names: BlockNames::default() }
    }

    impl Scene {
        fn ask(&self, subject: Subject, params: &str) -> (Outcome, String) {
            let mut out = [0; 256];
            let outcome = self.answers.answer(subject, &self.names, b"42", params.as_bytes(), &mut out);
            let length = if let Outcome::Written(length) = outcome { length } else { 0 };
            (outcome, String::from_utf8_lossy(&out[..length]).into_owned())
        }

        fn outcome(&self, subject: Subject, params: &str) -> Outcome {
            self.ask(subject, params).0
        }
    }

    #[test]
    fn an_object_is_the_answer_while_its_block_is_canonical() {
        let (of_hash, of_block) = (B256::repeat_byte(0xab), BLOCK.block_hash);
        let block = format!("[\"{of_block}\",false]");
        let object = format!("[\"{of_hash}\"]");
        for (kind, subject, hash, params, other) in [
            (TextKind::Receipt, Subject::Receipt, of_hash, &object, Subject::Transaction),
            (TextKind::Transaction, Subject::Transaction, of_hash, &object, Subject::Receipt),
            (TextKind::Block, Subject::BlockByHash, of_block, &block, Subject::Receipt),
        ] {
            let mut scene = scene();
            assert_eq!(scene.outcome(subject, params), Outcome::Declined);
            scene.texts.keep_text(kind, hash, BLOCK, b"{\"a\":1}");
            let unknown = Outcome::Unknown(Unknown::Canonical(BLOCK));
            assert_eq!(scene.outcome(subject, params), unknown);
            scene.answers.confirm(BLOCK.block_hash);
            assert_eq!(scene.ask(subject, params).1, r#"{"jsonrpc":"2.0","id":42,"result":{"a":1}}"#);
            assert_eq!(scene.outcome(other, params), Outcome::Declined);
            for odd in [
                "",
                "[]",
                "{}",
                "[\"0x12\"]",
                "[\"\\u0030x\"]",
                &params.replacen(&params[60..62], "zz", 1),
                &params.replace(']', ",1]"),
                &params.replace("false", "true").replacen("0x", "", 1),
            ] {
                assert_eq!(scene.outcome(subject, odd), Outcome::Declined, "{odd}");
            }
            let mut small = [0; 8];
            let asked = scene.answers.answer(subject, &scene.names, b"42", params.as_bytes(), &mut small);
            assert_eq!(asked, Outcome::Declined);
            scene.answers.forget();
            assert_eq!(scene.outcome(subject, params), unknown);
        }
    }

    #[test]
    fn a_block_is_found_by_what_its_name_stands_for() {
        let mut scene = scene();
        scene.texts.keep_text(TextKind::FullBlock, BLOCK.block_hash, BLOCK, b"{}");
        let unknown = Outcome::Unknown(Unknown::Name("latest".into()));
        assert_eq!(scene.outcome(Subject::Block, "[\"latest\",true]"), unknown);
        scene.names.set(b"latest", NamedBlock { hash: BLOCK.block_hash, root: None });
        let expected = r#"{"jsonrpc":"2.0","id":42,"result":{}}"#;
        assert_eq!(scene.ask(Subject::Block, "[\"latest\",true]").1, expected);
        assert_eq!(scene.ask(Subject::Block, "[\"latest\", true]").1, expected);
        assert_eq!(scene.outcome(Subject::Block, "[\"latest\",false]"), Outcome::Declined);
        for odd in ["[\"latest\"]", "[\"latest\",1]", "[\"la\\u0074est\",true]", "[\"latest,true]", "[1,true]"] {
            assert_eq!(scene.outcome(Subject::Block, odd), Outcome::Declined, "{odd}");
        }
    }
}
