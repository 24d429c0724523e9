//! The inputs to mutate: those of the recorded primitives, and those inside recorded calls.

use std::collections::BTreeSet;

use rhizome_bitcoin::script::builder::multisig;
use rhizome_bitcoin::{Script, Transaction};
use rhizome_primitives::rlp::Item;
use serde_json::Value;

use crate::hex::bytes;

/// Scenarios whose calls are used: they include every kind of call.
const SCENARIOS: &[&str] = &["regtest", "papyrus200", "iris300", "extra"];

/// Distinct inputs in a fixed order.
#[derive(Debug, Default)]
pub struct Corpus {
    pub(super) transactions: Vec<Vec<u8>>,
    pub(super) scripts: Vec<Vec<u8>>,
    /// A signature, a key, a hash.
    pub(super) signatures: Vec<(Vec<u8>, Vec<u8>, Vec<u8>)>,
    pub(super) trees: Vec<Vec<u8>>,
    pub(super) headers: Vec<Vec<u8>>,
    pub(super) keys: Vec<Vec<u8>>,
    /// Transactions whose first input is signed by a federation.
    pub(super) signed: Vec<Vec<u8>>,
}

#[derive(Default)]
struct Collected {
    transactions: BTreeSet<Vec<u8>>,
    scripts: BTreeSet<Vec<u8>>,
    signatures: BTreeSet<(Vec<u8>, Vec<u8>, Vec<u8>)>,
    trees: BTreeSet<Vec<u8>>,
    headers: BTreeSet<Vec<u8>>,
    keys: BTreeSet<Vec<u8>>,
    signed: BTreeSet<Vec<u8>>,
}

impl Corpus {
    /// The inputs of the recorded files.
    ///
    /// # Panics
    /// When they cannot be read.
    #[must_use]
    pub fn recorded() -> Self {
        let mut found = Collected::default();
        rhizome_vectors::json_lines("bridge/bridge-primitives.jsonl").for_each(|line| found.primitive(&line));
        for scenario in SCENARIOS {
            let lines = rhizome_vectors::json_lines(&format!("bridge/bridge-calls-{scenario}.jsonl"));
            for line in lines {
                let _ = found.call(&line);
            }
        }
        found.parts();
        let listed = |set: BTreeSet<Vec<u8>>| set.into_iter().collect::<Vec<_>>();
        Self {
            transactions: listed(found.transactions),
            scripts: listed(found.scripts),
            signatures: found.signatures.into_iter().collect(),
            trees: listed(found.trees),
            headers: listed(found.headers),
            keys: listed(found.keys),
            signed: listed(found.signed),
        }
    }
}

impl Collected {
    fn primitive(&mut self, line: &Value) {
        let (given, out) = (&line["in"], &line["out"]);
        match line["kind"].as_str().unwrap_or_default() {
            "btcTx" | "lockSender" | "peginInstructions" | "witnessCommitment" => {
                self.transactions.insert(bytes(&given["raw"]));
            }
            "script" => drop(self.scripts.insert(bytes(&given["program"]))),
            "pmt" => drop(self.trees.insert(bytes(&given["raw"]))),
            "pmtBuild" => drop(self.trees.insert(bytes(&out["raw"]))),
            "header" => drop(self.headers.insert(bytes(&given["raw"]))),
            "pubkey" => drop(self.keys.insert(bytes(&given["bytes"]))),
            "der" => {
                self.keys.insert(bytes(&given["pubkey"]));
                self.signatures.insert((bytes(&given["bytes"]), bytes(&given["pubkey"]), bytes(&given["hash"])));
            }
            "sighash" => self.signed(given, out),
            _ => {}
        }
    }

    fn signed(&mut self, given: &Value, out: &Value) {
        self.scripts.insert(bytes(&given["redeemScript"]));
        self.transactions.insert(bytes(&given["unsignedTx"]));
        for signed in out["signing"].as_array().into_iter().flatten() {
            let raw = bytes(&signed["tx"]);
            self.transactions.insert(raw.clone());
            if Transaction::parse(&raw).is_ok_and(|transaction| !transaction.has_witness()) {
                self.signed.insert(raw);
            }
        }
    }

    /// The Bitcoin data of a call; None where the line has none.
    fn call(&mut self, line: &Value) -> Option<()> {
        let data = if line["data"].is_string() {
            bytes(&line["data"])
        } else {
            let raw = bytes(line.get("rawTx")?);
            let items = Item::read_only(&raw).ok()?.items().ok()?;
            items.get(5)?.bytes().ok()?.to_vec()
        };
        let (selector, arguments) = data.split_first_chunk::<4>()?;
        match u32::from_be_bytes(*selector) {
            // registerBtcTransaction
            0x43dc_0656 => {
                self.transactions.insert(dynamic(arguments, 0)?.to_vec());
                self.trees.insert(dynamic(arguments, 2)?.to_vec());
            }
            // registerBtcCoinbaseTransaction
            0xccf4_17ae => {
                self.transactions.insert(dynamic(arguments, 0)?.to_vec());
                self.trees.insert(dynamic(arguments, 2)?.to_vec());
            }
            // receiveHeaders
            0xe540_0e7b => self.headers.extend(list(arguments, 0)?),
            // addSignature
            0xf10b_9c59 => {
                let (key, hash) = (dynamic(arguments, 0)?.to_vec(), dynamic(arguments, 2)?.to_vec());
                let hash = if hash.len() == 32 { hash } else { vec![1; 32] };
                self.keys.insert(key.clone());
                self.signatures.extend(list(arguments, 1)?.into_iter().map(|der| (der, key.clone(), hash.clone())));
            }
            _ => {}
        }
        Some(())
    }

    /// Adds the scripts and keys inside the inputs.
    fn parts(&mut self) {
        for raw in &self.transactions {
            let Ok(transaction) = Transaction::parse(raw) else { continue };
            self.scripts.extend(transaction.outputs.into_iter().map(|output| output.script));
            for input in transaction.inputs {
                self.scripts.extend(input.witness.into_iter().filter(|push| push.len() > 100));
                let last = Script::parse(&input.script)
                    .ok()
                    .and_then(|script| script.chunks().last().copied()?.data.map(<[u8]>::to_vec));
                self.scripts.extend(last);
                self.scripts.insert(input.script);
            }
        }
        let keys: Vec<_> = self.keys.iter().filter(|key| key.len() == 33).cloned().collect();
        for count in [1, 2, 15, 16, 20] {
            self.scripts.extend(multisig(count / 2 + 1, &keys[..count.min(keys.len())]));
        }
    }
}

fn word(arguments: &[u8], at: usize) -> Option<usize> {
    let word = arguments.get(at..at.checked_add(32)?)?;
    word[..28]
        .iter()
        .all(|byte| *byte == 0)
        .then(|| u32::from_be_bytes([word[28], word[29], word[30], word[31]]) as usize)
}

/// The bytes that the argument at `index` points to.
fn dynamic(arguments: &[u8], index: usize) -> Option<&[u8]> {
    let start = word(arguments, index * 32)?;
    let length = word(arguments, start)?;
    arguments.get(start + 32..start + 32 + length)
}

/// The elements of the array of bytes that the argument at `index` points to.
fn list(arguments: &[u8], index: usize) -> Option<Vec<Vec<u8>>> {
    let start = word(arguments, index * 32)?;
    let count = word(arguments, start)?;
    let elements = arguments.get(start + 32..)?;
    (0..count.min(1_000)).map(|index| dynamic(elements, index).map(<[u8]>::to_vec)).collect()
}
