//! Pages of logs against a plain reading of the same logs.

use std::sync::Arc;

use rhizome_answers::{
    EncodedLogs, EncodedObjectCache, LogCriteria, LogPage, ObjectBlock, PageEnd, SearchBounds, StoredBlock, TextKind,
};
use rhizome_crypto::keccak256;
use rhizome_primitives::rlp::{list, write_bytes};
use rhizome_primitives::{Address, B256};
use serde_json::{Value, json};

const ENDLESS: PageEnd = PageEnd { bytes: usize::MAX, logs: u32::MAX };

struct Log {
    address: Address,
    topics: Vec<Vec<u8>>,
    data: Vec<u8>,
}

struct Block {
    hash: B256,
    number: u64,
    transactions: Vec<Vec<u8>>,
    logs: Vec<Vec<Log>>,
}

impl Block {
    /// A block whose logs follow from a seed, `each` in every transaction.
    fn new(number: u64, transactions: u64, each: u64) -> Self {
        let transaction = |index: u64| {
            let mut out = Vec::new();
            write_bytes(&mut out, &[(number as u8).wrapping_add(1), (index as u8).wrapping_add(1)]);
            list(&out)
        };
        let log = |seed: u64| Log {
            address: Address::with_last_byte((seed % 5) as u8),
            topics: (0..seed % 5)
                .map(|position| B256::with_last_byte((seed / 5 + position) as u8 % 3).to_vec())
                .collect(),
            data: vec![seed as u8; (seed % 70) as usize],
        };
        Self {
            hash: keccak256(&number.to_be_bytes()),
            number,
            transactions: (0..transactions).map(transaction).collect(),
            logs: (0..transactions)
                .map(|index| (0..each).map(|log_index| log(number * 7 + index * 3 + log_index)).collect())
                .collect(),
        }
    }

    fn body(&self) -> Vec<u8> {
        list(&[list(&self.transactions.concat()), list(&[])].concat())
    }

    fn receipts(&self) -> Vec<u8> {
        let bytes = |bytes: &[u8]| {
            let mut out = Vec::new();
            write_bytes(&mut out, bytes);
            out
        };
        let log = |log: &Log| {
            let topics: Vec<u8> = log.topics.iter().flat_map(|topic| bytes(topic)).collect();
            list(&[bytes(log.address.as_slice()), list(&topics), bytes(&log.data)].concat())
        };
        let receipt = |logs: &Vec<Log>| {
            let logs: Vec<u8> = logs.iter().flat_map(log).collect();
            list(
                &[bytes(&[1]), bytes(&[0x52, 8]), bytes(&[0; 256]), list(&logs), bytes(&[0x52, 8]), bytes(&[1])]
                    .concat(),
            )
        };
        list(&self.logs.iter().flat_map(receipt).collect::<Vec<u8>>())
    }

    /// The logs that match, as clients get them.
    fn expected(&self, addresses: &[Address], topics: &[Vec<B256>], removed: bool) -> Vec<Value> {
        let hex = |bytes: &[u8]| format!("0x{}", rhizome_primitives::hex::encode(bytes));
        let all = self.logs.iter().enumerate().flat_map(|(index, logs)| logs.iter().map(move |log| (index, log)));
        all.enumerate()
            .filter(|(_, (_, log))| addresses.is_empty() || addresses.contains(&log.address))
            .filter(|(_, (_, log))| {
                topics.iter().enumerate().all(|(position, wanted)| {
                    wanted.is_empty()
                        || log
                            .topics
                            .get(position)
                            .is_some_and(|topic| wanted.iter().any(|one| one.as_slice() == topic))
                })
            })
            .map(|(log_index, (index, log))| {
                json!({
                    "logIndex": format!("0x{log_index:x}"),
                    "blockNumber": format!("0x{:x}", self.number),
                    "blockHash": hex(self.hash.as_slice()),
                    "transactionHash": hex(keccak256(&self.transactions[index]).as_slice()),
                    "transactionIndex": format!("0x{index:x}"),
                    "address": hex(log.address.as_slice()),
                    "data": hex(&log.data),
                    "topics": log.topics.iter().map(|topic| hex(topic)).collect::<Vec<_>>(),
                    "removed": removed,
                })
            })
            .collect()
    }

    fn add_to(&self, page: &mut LogPage, removed: bool) {
        let (receipts, body) = (self.receipts(), self.body());
        let block = StoredBlock { hash: self.hash, number: self.number, receipts: &receipts, body: &body };
        page.add_stored(&block, removed).expect("a block as it is stored");
    }
}

fn texts() -> Arc<EncodedObjectCache> {
    Arc::new(EncodedObjectCache::new(64 << 20))
}

fn parse(page: &mut LogPage) -> Vec<Value> {
    let text = String::from_utf8(page.text().to_vec()).expect("text");
    page.clear();
    assert_eq!((page.count(), page.bytes()), (0, 0));
    serde_json::from_str(&format!("[{text}]")).expect("elements of an array")
}

fn criteria() -> Vec<(Vec<Address>, Vec<Vec<B256>>)> {
    let address = Address::with_last_byte;
    let topic = B256::with_last_byte;
    let many: Vec<_> = (1..20).map(address).collect();
    vec![
        (vec![], vec![]),
        (vec![address(1)], vec![]),
        (vec![address(9)], vec![]),
        (many, vec![]),
        (vec![], vec![vec![topic(1)]]),
        (vec![], vec![vec![], vec![topic(0), topic(2)]]),
        (vec![address(3), address(4)], vec![vec![topic(0), topic(1)], vec![], vec![topic(2)]]),
        (vec![], vec![(0..12).map(topic).collect()]),
        (vec![], vec![vec![], vec![]]),
    ]
}

#[test]
fn kept_and_stored_logs_are_the_same() {
    // Small, empty, large with few matches and large with many.
    let blocks = [Block::new(0, 0, 0), Block::new(1, 3, 2), Block::new(2, 40, 5), Block::new(300, 1, 90)];
    for (addresses, topics) in criteria() {
        for removed in [false, true] {
            let texts = texts();
            let page = || LogPage::new(texts.clone(), LogCriteria::new(&addresses, &topics), ENDLESS);
            let expected: Vec<_> =
                blocks.iter().flat_map(|block| block.expected(&addresses, &topics, removed)).collect();
            let mut stored = page();
            blocks.iter().for_each(|block| block.add_to(&mut stored, removed));
            assert_eq!(stored.count() as usize, expected.len());
            assert_eq!(parse(&mut stored), expected, "{addresses:?} {topics:?}");
            // All are kept when all are asked for.
            let mut all = LogPage::new(texts.clone(), LogCriteria::new(&[], &[]), ENDLESS);
            blocks.iter().for_each(|block| block.add_to(&mut all, false));
            let mut kept = page();
            assert_eq!(kept.add_kept(blocks.iter().map(|block| block.hash), removed), blocks.len());
            assert_eq!(kept.count() as usize, expected.len());
            assert_eq!(parse(&mut kept), expected, "{addresses:?} {topics:?}");
        }
    }
}

#[test]
fn a_search_of_kept_logs_is_whole_or_given_up() {
    let texts = texts();
    let blocks: Vec<_> = (0..10).map(|number| Block::new(number, 2, 2)).collect();
    let hashes = || blocks.iter().map(|block| block.hash);
    let mut ready = EncodedLogs::new(texts.clone());
    let all = SearchBounds { bytes: 1 << 20, logs: 40 };
    let anything = LogCriteria::new(&[], &[]);
    assert!(!ready.find(&anything, hashes(), all), "nothing is kept");
    let mut page = LogPage::new(texts.clone(), LogCriteria::new(&[], &[]), ENDLESS);
    blocks.iter().for_each(|block| block.add_to(&mut page, false));
    for (addresses, topics) in criteria() {
        let expected: Vec<_> = blocks.iter().flat_map(|block| block.expected(&addresses, &topics, false)).collect();
        assert!(ready.find(&LogCriteria::new(&addresses, &topics), hashes(), all));
        let text = String::from_utf8(ready.text().to_vec()).expect("text");
        let found: Vec<Value> = serde_json::from_str(&format!("[{text}]")).expect("elements of an array");
        assert_eq!(found, expected, "{addresses:?} {topics:?}");
    }
    assert!(ready.find(&anything, hashes(), all));
    let bytes = ready.text().len();
    assert!(ready.find(&anything, hashes(), SearchBounds { bytes, ..all }));
    assert!(!ready.find(&anything, hashes(), SearchBounds { bytes: bytes - 10, ..all }));
    assert!(!ready.find(&anything, hashes(), SearchBounds { logs: 39, ..all }));
    assert!(!ready.find(&anything, hashes().chain([B256::ZERO]), all), "a block that is not kept");
}

#[test]
fn a_page_ends_with_a_block() {
    let texts = texts();
    let blocks: Vec<_> = (0..10).map(|number| Block::new(number, 2, 2)).collect();
    let page = |end| LogPage::new(texts.clone(), LogCriteria::new(&[], &[]), end);
    let mut all = page(ENDLESS);
    blocks.iter().for_each(|block| block.add_to(&mut all, false));
    let hashes = || blocks.iter().map(|block| block.hash);
    let missing = |hashes: &[B256]| page(ENDLESS).count_missing(hashes.iter().copied());
    assert_eq!(missing(&[B256::ZERO, B256::ZERO, blocks[0].hash, B256::ZERO]), 2);
    let mut by_logs = page(PageEnd { bytes: usize::MAX, logs: 9 });
    assert_eq!(by_logs.add_kept(hashes(), false), 3);
    assert_eq!((by_logs.count(), by_logs.is_full()), (12, true));
    assert_eq!(by_logs.add_kept(hashes(), false), 0);
    let mut by_bytes = page(PageEnd { bytes: 1, logs: u32::MAX });
    assert_eq!((by_bytes.add_kept(hashes(), false), by_bytes.count()), (1, 4));
}

#[test]
fn an_unusual_log_is_reported_but_not_kept() {
    let texts = texts();
    let mut block = Block::new(1, 1, 1);
    block.logs = vec![vec![Log { address: Address::ZERO, topics: vec![vec![7]], data: vec![] }]];
    let mut page = LogPage::new(texts.clone(), LogCriteria::new(&[], &[]), ENDLESS);
    block.add_to(&mut page, false);
    assert_eq!(parse(&mut page), block.expected(&[], &[], false));
    assert_eq!(page.add_kept([block.hash].into_iter(), false), 0);
}

#[test]
fn texts_stay_within_their_limit() {
    let texts = Arc::new(EncodedObjectCache::new(256 * 1024));
    let mut page = LogPage::new(texts.clone(), LogCriteria::new(&[], &[]), ENDLESS);
    (0..500).for_each(|number| Block::new(number, 2, 4).add_to(&mut page, false));
    assert!(texts.bytes() > 128 * 1024 && texts.bytes() <= 256 * 1024, "{} bytes", texts.bytes());
    let log_index = ObjectBlock { block_hash: B256::ZERO, block_number: 0 };
    texts.keep_text(TextKind::Receipt, B256::ZERO, log_index, b"{}");
    let json = |kind| texts.with_text(kind, B256::ZERO, |text| text.json.to_vec());
    assert_eq!(json(TextKind::Receipt).as_deref(), Some(&b"{}"[..]));
    assert_eq!(json(TextKind::Transaction), None);
}
