//! Calls at blocks all over a chain, against what workers execute there.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use rhizome_answers::{EncodedAnswers, EncodedObjectCache, TagDepths};
use rhizome_evm::{BlockContext, LocalCall, Message, call};
use rhizome_primitives::account::{Account, AccountRef};
use rhizome_primitives::block::AncestorBlock;
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::state::WriteSet;
use rhizome_primitives::{Address, B256, Bytes, U256, hex};
use rhizome_rpc::{
    AnnouncedHead, Answered, FastCalls, FastMethod, FastPath, GasCaps, MethodName, ResponseCache, WAITS,
};
use rhizome_store::{StateStore, StoreOptions};
use rhizome_testing::regtest;

const CONTRACT: Address = Address::repeat_byte(3);
/// Reverts while its first cell is odd.
const FICKLE: Address = Address::repeat_byte(4);
const GAS: u64 = 1_000_000;
/// Hash of the block as many below as the data says, the first cell, then number, time, miner, difficulty, gas limit and
/// base fee of the block.
const CODE: &str = "60003543034060005260005460205243604052426060524160805244\
                    60a0524560c0524860e0526101006000f3";
const FICKLE_CODE: &str = "600160005416600a57005b60006000fd";
/// Root of the state without accounts.
const EMPTY: B256 = B256::new(hex!("56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"));

/// Blocks of the chain. The store holds 8,192 in memory.
const HEAD: u64 = 9_500;
/// Blocks with the same state.
const SAME_STATE: u64 = 40;

fn name(branch: u64, number: u64) -> B256 {
    B256::from(U256::from(branch) << 64 | U256::from(number) | U256::from(1) << 200)
}

struct Chain {
    store: Arc<StateStore>,
    spec: Arc<ChainSpec>,
    front: FastPath,
    blocks: Vec<AncestorBlock>,
}

impl Chain {
    fn open(folder: &std::path::Path) -> Self {
        let store = StateStore::open(folder, &StoreOptions::default()).unwrap();
        let spec = Arc::new(regtest(|_| true));
        let method = MethodName {
            name: "eth_call".into(),
            index: 7,
            fast: Some(FastMethod::Call),
            is_cached: false,
            reports_reverts: true,
        };
        let objects = EncodedAnswers::new(Arc::new(EncodedObjectCache::new(1 << 20)));
        let mut front = FastPath::new(vec![method], 50, objects, ResponseCache::new(0));
        front.calls = Some(FastCalls::new(store.clone(), spec.clone(), GasCaps { call: GAS, estimate: GAS }));
        front.set_depths(TagDepths { safe: 12, finalized: 100 });
        Self { store, spec, front, blocks: Vec::new() }
    }

    /// Connects blocks up to a height behind those that there are.
    fn extend(&mut self, branch: u64, head: u64) {
        for number in self.blocks.len() as u64..=head {
            let below = self.blocks.last();
            let root = below.and_then(|block| block.state_root);
            let root = match root.filter(|_| number % SAME_STATE != 0) {
                Some(root) => root,
                None => self.change(root.unwrap_or(EMPTY), branch * 100_000 + number),
            };
            let parent_hash = below.map_or(B256::ZERO, |block| block.hash);
            let block = AncestorBlock {
                timestamp: 1_000 + 30 * number + branch,
                coinbase: AccountRef::from(Address::with_last_byte((number % 251) as u8)),
                difficulty: U256::from(number + 7),
                minimum_gas_price: U256::from(number % 13),
                gas_limit: Bytes::copy_from_slice(&(6_800_000 + number as u32).to_be_bytes()),
                state_root: Some(root),
                ..rhizome_testing::ancestor(name(branch, number), parent_hash, number)
            };
            if number > 0 {
                self.store.ancestry(parent_hash);
            }
            self.store.put_ancestor(block.clone());
            self.store.set_head(root, None);
            self.blocks.push(block);
        }
        self.store.commit().unwrap();
    }

    /// Has the code of the head in memory, as when a worker has executed it.
    fn read_code(&self) {
        let reader = self.store.reader(self.blocks.last().unwrap().state_root.unwrap()).unwrap();
        for address in [CONTRACT, FICKLE] {
            reader.code(&address.into()).unwrap();
        }
    }

    /// The state with other cells; the first one has the contracts as well.
    fn change(&self, root: B256, value: u64) -> B256 {
        let cell = |address: Address| {
            let bytes = U256::from(value / SAME_STATE).to_be_bytes_trimmed_vec();
            (address.into(), U256::ZERO, (!bytes.is_empty()).then(|| Bytes::from(bytes)))
        };
        let mut changes = WriteSet { storage: vec![cell(CONTRACT), cell(FICKLE)], ..WriteSet::default() };
        if root == EMPTY {
            changes.code = [(CONTRACT, CODE), (FICKLE, FICKLE_CODE)]
                .map(|(address, code)| (address.into(), hex::decode(code).unwrap().into()))
                .to_vec();
            changes.accounts = [CONTRACT, FICKLE].map(|address| (address.into(), Account::default())).to_vec();
            changes.markers = vec![CONTRACT.into(), FICKLE.into()];
        }
        let applied = self.store.apply(root, &changes).unwrap();
        let root = applied.root();
        self.store.keep(applied);
        root
    }

    fn see_head(&mut self, first_block: u64) {
        let head = self.blocks.last().unwrap();
        let announced = AnnouncedHead { hash: head.hash, root: head.state_root, first_block };
        self.front.forget();
        self.front.set_head(&self.store, &announced);
    }

    /// The answer in the front thread; none where it is left to workers. A block as JSON.
    fn ask(&mut self, to: Address, depth: u64, block: &str) -> Option<String> {
        let data = hex::encode(U256::from(depth).to_be_bytes::<32>());
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{{"to":"{to:#x}","data":"0x{data}"}},{block}]}}"#
        );
        let mut out = [0; 1024];
        self.front.calls.as_mut().unwrap().end_turn();
        let answered = self.front.answer(body.as_bytes(), false, &mut out).unwrap();
        assert!(matches!(answered, Answered::Partly(_)), "nothing is cached");
        let waits = self.front.records()[0] & WAITS != 0;
        let length = self.front.run(&mut out);
        assert!(waits || length.is_none());
        let text = String::from_utf8_lossy(&out[..length?]).into_owned();
        Some(text.strip_prefix(r#"{"jsonrpc":"2.0","id":1,"result":""#)?.strip_suffix("\"}")?.to_owned())
    }

    /// As a worker does it: from the disk.
    fn execute(&self, depth: u64, number: u64) -> String {
        let block = &self.blocks[number as usize];
        let env = block.env().unwrap();
        let context = BlockContext::new(self.spec.clone(), env, self.store.ancestry(block.parent_hash));
        let data = Bytes::from(U256::from(depth).to_be_bytes::<32>());
        let message = Message { to: Some(CONTRACT), data, ..Message::default() };
        let local = LocalCall { context, message, gas: GAS, overrides: &[], interrupt: None, effort: None };
        let output = call(&local, self.store.reader(block.state_root.unwrap()).unwrap()).unwrap().output;
        hex::encode_prefixed(&output)
    }

    /// Compares answers at some heights, by each name of a block.
    fn compare(&mut self, numbers: impl IntoIterator<Item = u64>) {
        for number in numbers {
            let hash = self.blocks[number as usize].hash;
            for depth in [1, 2, 3, 77, 255, 256, 257] {
                let expected = self.execute(depth, number);
                let value = &expected[2..66];
                let below = number.checked_sub(depth).filter(|_| depth <= 256);
                let expected_hash = below.map_or(B256::ZERO, |below| self.blocks[below as usize].hash);
                assert_eq!(value, hex::encode(expected_hash), "{number} {depth}");
                for block in [
                    format!("\"{number:#x}\""),
                    format!("\"{hash}\""),
                    format!(r#"{{"blockHash":"{hash}","requireCanonical":true}}"#),
                    format!(r#"{{"blockNumber":"{number:#x}"}}"#),
                ] {
                    assert_eq!(self.ask(CONTRACT, depth, &block).as_ref(), Some(&expected), "{block} {depth}");
                }
            }
        }
    }
}

/// Heights spread over a range, others each time.
fn spread(count: u64, below: u64, seed: u64) -> impl Iterator<Item = u64> {
    (0..count).map(move |i| (i + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) % below)
}

#[test]
fn calls_at_any_block_of_the_chain_are_those_of_workers() {
    let folder = tempfile::tempdir().unwrap();
    let mut chain = Chain::open(folder.path());
    chain.extend(1, HEAD);
    chain.store.settle_deep_blocks().unwrap();
    chain.see_head(0);
    // The code is in memory once a worker has read it; states and blocks are read in their tables.
    chain.execute(1, HEAD);
    chain.store.drop_caches();
    chain.read_code();
    let lowest_held = HEAD + 1 - 8_192;
    let edges =
        [0, 1, 2, 256, 257, 449, 450, lowest_held - 1, lowest_held, lowest_held + 1, HEAD - 4_096, HEAD - 1, HEAD];
    chain.compare(edges);
    chain.compare(spread(120, HEAD, 1));

    // Tags.
    for (tag, number) in [("latest", HEAD), ("earliest", 0), ("safe", HEAD - 12), ("finalized", HEAD - 100)] {
        let expected = chain.execute(5, number);
        assert_eq!(chain.ask(CONTRACT, 5, &format!("\"{tag}\"")), Some(expected), "{tag}");
    }
    // Neither blocks that are not there, nor those of other branches.
    let aside = name(9, 300);
    chain
        .store
        .put_ancestor(AncestorBlock { state_root: Some(EMPTY), ..rhizome_testing::ancestor(aside, name(1, 299), 300) });
    for block in
        [format!("{:#x}", HEAD + 1), format!("{aside}"), format!("{}", name(8, 3)), "pending".into(), "9".into()]
    {
        assert_eq!(chain.ask(CONTRACT, 1, &format!("\"{block}\"")), None, "{block}");
    }
    // Nor what is not kept.
    chain.see_head(1_000);
    let hash = chain.blocks[999].hash;
    for (block, is_kept) in [("0x0", true), ("0x3e7", false), (&format!("{hash}"), false), ("0x3e8", true)] {
        assert_eq!(chain.ask(CONTRACT, 1, &format!("\"{block}\"")).is_some(), is_kept, "{block}");
    }
    assert_eq!(chain.ask(CONTRACT, 4, "\"earliest\""), Some(chain.execute(4, 1_000)));

    // A reorganisation: names that stood for blocks of the old branch stand for those of the new one, or for nothing.
    chain.see_head(0);
    let (fork, old) = (HEAD - 50, chain.blocks[(HEAD - 20) as usize].hash);
    let before = chain.ask(CONTRACT, 1, &format!("\"{:#x}\"", HEAD - 20)).unwrap();
    chain.blocks.truncate(fork as usize + 1);
    let root = chain.blocks[fork as usize].state_root.unwrap();
    chain.store.set_head(root, None);
    chain.extend(2, HEAD + 20);
    chain.see_head(0);
    chain.read_code();
    assert_eq!(chain.ask(CONTRACT, 1, &format!("\"{old}\"")), None, "it left the chain");
    assert_ne!(chain.ask(CONTRACT, 1, &format!("\"{:#x}\"", HEAD - 20)).unwrap(), before);
    chain.compare((fork - 3..HEAD + 20).step_by(7));
    chain.compare(spread(60, HEAD + 20, 5));
    // Without a head nothing is said.
    chain.front.forget();
    assert_eq!(chain.ask(CONTRACT, 1, "\"latest\""), None);
    chain.store.close();
}

#[test]
fn a_program_that_fails_at_earlier_blocks_is_still_tried_at_the_head() {
    let folder = tempfile::tempdir().unwrap();
    let mut chain = Chain::open(folder.path());
    chain.extend(1, 3 * SAME_STATE);
    chain.see_head(0);
    let (odd, even) = (SAME_STATE, 2 * SAME_STATE);
    // The newest state is odd as well, but for its last block.
    let root = chain.change(chain.blocks.last().unwrap().state_root.unwrap(), 4 * SAME_STATE);
    chain.blocks.last_mut().unwrap().state_root = Some(root);
    chain.store.set_head(root, None);
    chain.see_head(0);
    chain.read_code();
    assert_eq!(chain.ask(FICKLE, 0, &format!("\"{even:#x}\"")).as_deref(), Some("0x"));
    assert_eq!(chain.ask(FICKLE, 0, &format!("\"{odd:#x}\"")), None, "its error is for the method to say");
    let attempts = |chain: &Chain| chain.front.calls.as_ref().unwrap().stats().attempts;
    let before = attempts(&chain);
    assert_eq!(chain.ask(FICKLE, 0, &format!("\"{even:#x}\"")), None, "passed over");
    assert_eq!(attempts(&chain), before);
    assert_eq!(chain.ask(FICKLE, 0, "\"latest\"").as_deref(), Some("0x"));
    chain.store.close();
}
