//! Answers that are ready but for their id.

use std::sync::Arc;

use rhizome_primitives::{B256, hex};

use crate::block_names::BlockNames;
use crate::encoded_object_cache::{EncodedObject, EncodedObjectCache, TextKind};
use crate::output::Output;

/// Digits of a hash.
const HASH_DIGITS: usize = 64;

/// Subject of the answer of a method.
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

/// Answers from encoded objects at one head of the chain.
pub struct EncodedAnswers {
    texts: Arc<EncodedObjectCache>,
}

impl EncodedAnswers {
    /// Answers from these texts.
    pub fn new(texts: Arc<EncodedObjectCache>) -> Self {
        Self { texts }
    }

    /// Answers a request: the length of the answer; none where it is not in the ordinary form, or nothing is ready.
    /// `id` and `params` are JSON text.
    pub fn answer(
        &self,
        subject: Subject,
        names: &mut BlockNames,
        id: &[u8],
        params: &[u8],
        out: &mut [u8],
    ) -> Option<usize> {
        match subject {
            Subject::Receipt => self.mined(names, TextKind::Receipt, parse_hash(params), id, out),
            Subject::Transaction => self.mined(names, TextKind::Transaction, parse_hash(params), id, out),
            Subject::Block => {
                let (name, kind) = parse_block(params)?;
                let hash = names.get(name)?.hash;
                self.texts.with_text(kind, hash, |text| write_answer(id, &text.json, out))?
            }
            Subject::BlockByHash => {
                let (hash, kind) = parse_block(params)?;
                self.mined(names, kind, hash_of(hash), id, out)
            }
        }
    }

    /// The text of a hash, while its block is canonical: another one may be gone from the store.
    fn mined(
        &self,
        names: &BlockNames,
        kind: TextKind,
        hash: Option<B256>,
        id: &[u8],
        out: &mut [u8],
    ) -> Option<usize> {
        let write = |text: &EncodedObject| names.has(text.block).then(|| write_answer(id, &text.json, out))?;
        self.texts.with_text(kind, hash?, write)?
    }
}

fn write_answer(id: &[u8], json: &[u8], out: &mut [u8]) -> Option<usize> {
    let mut output = Output::new(out);
    output.put_head(id)?;
    output.put_result()?;
    output.put(json)?;
    output.put(b"}")?;
    Some(output.length())
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
#[allow(clippy::unwrap_used)]
mod tests {
    use rhizome_primitives::U256;
    use rhizome_primitives::block::AncestorBlock;
    use rhizome_store::{StateStore, StoreOptions};

    use super::*;
    use crate::block_names::{NamedHead, TagDepths};
    use crate::encoded_object_cache::ObjectBlock;

    const HEIGHT: u64 = 9;

    struct Scene {
        store: Arc<StateStore>,
        texts: Arc<EncodedObjectCache>,
        answers: EncodedAnswers,
        names: BlockNames,
    }

    /// Hash of a block of one of two branches, which have the first five blocks in common.
    fn name(branch: u8, number: u64) -> B256 {
        B256::from(U256::from(number) | U256::from(if number < 5 { 0 } else { branch }) << 64 | U256::ONE << 128)
    }

    fn block(branch: u8, number: u64) -> AncestorBlock {
        AncestorBlock {
            state_root: Some(B256::with_last_byte(number as u8)),
            ..rhizome_testing::ancestor(
                name(branch, number),
                number.checked_sub(1).map_or(B256::ZERO, |parent| name(branch, parent)),
                number,
            )
        }
    }

    /// A chain of ten blocks, with another branch beside it.
    fn scene() -> Scene {
        let store = StateStore::in_memory(&StoreOptions::default());
        store.put_ancestor(block(0, 0));
        store.head_branch(name(0, 0)).unwrap();
        (1..=HEIGHT).for_each(|number| store.put_ancestor(block(0, number)));
        (5..=HEIGHT).for_each(|number| store.put_ancestor(block(1, number)));
        let texts = Arc::new(EncodedObjectCache::new(1 << 20));
        let mut scene =
            Scene { store, answers: EncodedAnswers::new(texts.clone()), texts, names: BlockNames::default() };
        scene.names.set_depths(TagDepths { safe: 2, finalized: 20 });
        scene.see(0, HEIGHT);
        scene
    }

    impl Scene {
        fn see(&mut self, branch: u8, number: u64) {
            let branch = self.store.head_branch(name(branch, number)).unwrap();
            self.names.set_head(Some(NamedHead { branch, root: Some(B256::ZERO), first_block: 1 }));
        }

        fn ask(&mut self, subject: Subject, params: &str) -> Option<String> {
            let mut out = [0; 256];
            let length = self.answers.answer(subject, &mut self.names, b"42", params.as_bytes(), &mut out)?;
            Some(String::from_utf8_lossy(&out[..length]).into_owned())
        }

        fn number(&mut self, name: &str) -> Option<(u64, Option<B256>)> {
            let found = self.names.get(name.as_bytes())?;
            Some((found.hash.0[31].into(), found.root))
        }
    }

    #[test]
    fn an_object_is_the_answer_while_its_block_is_canonical() {
        let object_block = ObjectBlock { block_hash: name(0, 7), block_number: 7 };
        let (of_hash, of_block) = (B256::repeat_byte(0xab), object_block.block_hash);
        let block = format!("[\"{of_block}\",false]");
        let object = format!("[\"{of_hash}\"]");
        for (kind, subject, hash, params, other) in [
            (TextKind::Receipt, Subject::Receipt, of_hash, &object, Subject::Transaction),
            (TextKind::Transaction, Subject::Transaction, of_hash, &object, Subject::Receipt),
            (TextKind::Block, Subject::BlockByHash, of_block, &block, Subject::Receipt),
        ] {
            let mut scene = scene();
            assert_eq!(scene.ask(subject, params), None);
            scene.texts.keep_text(kind, hash, object_block, b"{\"a\":1}");
            let expected = Some(r#"{"jsonrpc":"2.0","id":42,"result":{"a":1}}"#.to_owned());
            assert_eq!(scene.ask(subject, params), expected);
            assert_eq!(scene.ask(other, params), None);
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
                assert_eq!(scene.ask(subject, odd), None, "{odd}");
            }
            let mut small = [0; 8];
            let asked = scene.answers.answer(subject, &mut scene.names, b"42", params.as_bytes(), &mut small);
            assert_eq!(asked, None);
            for (branch, number, is_there) in [(1, 9, false), (0, 6, false), (0, 7, true), (1, 7, false), (0, 9, true)]
            {
                scene.see(branch, number);
                assert_eq!(scene.ask(subject, params).is_some(), is_there, "{branch} {number}");
            }
            scene.names.set_head(None);
            assert_eq!(scene.ask(subject, params), None);
        }
    }

    #[test]
    fn a_block_is_found_by_what_its_name_stands_for() {
        let mut scene = scene();
        let object_block = ObjectBlock { block_hash: name(0, HEIGHT), block_number: HEIGHT };
        scene.texts.keep_text(TextKind::FullBlock, object_block.block_hash, object_block, b"{}");
        let expected = Some(r#"{"jsonrpc":"2.0","id":42,"result":{}}"#.to_owned());
        for params in ["[\"latest\",true]", "[\"latest\", true]", "[\"0x9\",true]", "[\"0x09\",true]"] {
            assert_eq!(scene.ask(Subject::Block, params), expected, "{params}");
        }
        assert_eq!(scene.ask(Subject::Block, "[\"latest\",false]"), None);
        for odd in ["[\"latest\"]", "[\"latest\",1]", "[\"la\\u0074est\",true]", "[\"latest,true]", "[1,true]"] {
            assert_eq!(scene.ask(Subject::Block, odd), None, "{odd}");
        }
    }

    #[test]
    fn names_stand_for_blocks_of_the_head_that_was_set() {
        let mut scene = scene();
        let root = |number: u8| Some(B256::with_last_byte(number));
        let head = Some(B256::ZERO);
        for (name, expected) in [
            ("latest", Some((9, head))),
            ("safe", Some((7, root(7)))),
            ("finalized", Some((1, root(1)))),
            ("earliest", Some((1, root(1)))),
            ("0x1", Some((1, root(1)))),
            ("0x0008", Some((8, root(8)))),
            ("0x9", Some((9, head))),
            ("0x0", Some((0, root(0)))),
            ("0xa", None),
            ("0x", None),
            ("9", None),
            ("0X9", None),
            ("pending", None),
            ("newest", None),
            ("0x10000000000000009", None),
        ] {
            assert_eq!(scene.number(name), expected, "{name}");
        }
        assert_eq!(scene.number(&format!("0x{:0>63}", 9)), Some((9, head)));
        assert_eq!(scene.number(&format!("0x{:0>64}", 9)), None, "a hash");
        let hash = |scene: &mut Scene, text: &str| scene.names.get(text.as_bytes()).map(|block| block.hash);
        scene.see(1, 8);
        assert_eq!(hash(&mut scene, "0x9"), None);
        assert_eq!(hash(&mut scene, "0x6"), Some(name(1, 6)), "the other branch");
        assert_eq!(hash(&mut scene, "0x3"), Some(name(0, 3)));
        scene.store.put_edited_root(name(0, 3), root(0xee));
        assert_eq!(scene.number("0x3"), Some((3, root(3))), "what was found holds until the head is told again");
        scene.see(1, 8);
        assert_eq!(scene.number("0x3"), Some((3, root(0xee))));
    }
}
