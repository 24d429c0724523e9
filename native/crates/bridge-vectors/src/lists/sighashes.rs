//! `sighash.json`: `[transaction, script, index of the input, sighash type, hash]`.

use rhizome_bitcoin::{Transaction, display_hash, sighash};
use rhizome_primitives::hex;
use serde_json::json;

use super::{Checked, cases};

/// Larger types enter the hash with four bytes in the list, but only with their lowest byte in the reference's library.
const LARGEST_KIND: i64 = 0xff;

pub(super) fn list(bytes: &[u8], list: &mut Checked) {
    for case in cases(bytes) {
        let (Some(raw), Some(index), Some(kind)) = (case[0].as_str(), case[2].as_u64(), case[3].as_i64()) else {
            continue;
        };
        let decode = |text: &str| hex::decode(text).unwrap_or_default();
        let (raw, script) = (decode(raw), decode(case[1].as_str().unwrap_or_default()));
        list.ask("btcTx", json!({"raw": hex::encode_prefixed(&raw)}));
        list.ask("script", json!({"program": hex::encode_prefixed(&script)}));
        let given = json!({
            "tx": hex::encode_prefixed(&raw),
            "index": index,
            "script": hex::encode_prefixed(&script),
            "sighash": kind as u8,
        });
        list.ask("legacyHash", given);
        let mut found = "parsed";
        list.report.check(&format!("{kind} {}", display_hash(&raw)), |values| {
            let Ok(transaction) = Transaction::parse(&raw) else {
                return values.differ("parse", "a transaction", "an exception");
            };
            if (0..=LARGEST_KIND).contains(&kind) {
                found = "hashed";
                let hash = sighash::legacy(&transaction, index as usize, &script, kind as u8);
                let hash = hash.map(|hash| hex::encode(rhizome_bitcoin::reversed(hash)));
                if hash.as_deref() != Ok(case[4].as_str().unwrap_or_default()) {
                    values.differ("hash", &case[4].to_string(), &format!("{hash:?}"));
                }
            }
        });
        list.count(found);
    }
}
