//! `block457.bin`: the call data of the first call of the Bridge on the main network, `receiveHeaders` with 500 Bitcoin
//! headers, on the state before it, in which the Bridge has no cells (bridge.md §7.3).

use std::sync::Arc;

use rhizome_bridge::recorded::MemberKey;
use rhizome_evm::{
    BlockContext, DirectCaller, Evm, FeePayment, Journal, Position, Transaction, TransactionOutcome, trace::NoInspector,
};
use rhizome_primitives::abi::selector;
use rhizome_primitives::block::{BlockEnv, NoAncestry};
use rhizome_primitives::{B256, Bytes, U256};
use rhizome_store::{StateStore, StoreOptions};
use rhizome_testing::Network;
use rhizome_trie::EMPTY_ROOT;
use serde_json::json;

use super::Checked;
use crate::hex::bytes;

const HEIGHT: u64 = 457;
const GAS_LIMIT: u64 = 2_500_000;
/// Height of Bitcoin's best block afterwards.
const BEST_HEIGHT: u64 = 500_468;
const BEST_HASH: &str = "00000000000000000015bc19376261e34112687c34b1376afe9766f96c18a971";
/// Headers, the checkpoint below them, Bitcoin's first block, and the cell with the best one.
const CELLS: usize = 503;

pub(super) fn block_457(bytes: &[u8], list: &mut Checked) {
    list.report.check("receiveHeaders", |values| match execute(bytes) {
        Err(reason) => values.differ("executed", "a transaction", &reason),
        Ok((outcome, mut evm)) => {
            values.equal("status", &json!(true), &json!(outcome.succeeded && outcome.failure.is_none()));
            values.equal("gas", &json!(0), &json!(outcome.gas_used));
            values.equal("logs", &json!(0), &json!(outcome.logs.len()));
            let writes = evm.journal().write_set();
            let cells = || writes.storage.iter().filter(|(account, ..)| *account == rhizome_bridge::ADDRESS.into());
            values.equal("cells", &json!(CELLS), &json!(cells().count()));
            let best = BEST_HASH.parse::<B256>().unwrap_or_default();
            let is_best = |word: &U256| *word == U256::from_be_bytes(best.0);
            values.equal("best header", &json!(true), &json!(cells().any(|(_, word, _)| is_best(word))));
            let height = evm.call_directly(
                DirectCaller::Local,
                rhizome_bridge::ADDRESS,
                Some(&selector("getBtcBlockchainBestChainHeight()")),
                u64::MAX,
            );
            let height = height.and_then(|call| call.output?.ok()?).map(|output| U256::from_be_slice(&output));
            values.equal("height", &json!(Some(U256::from(BEST_HEIGHT))), &json!(height));
        }
    });
    list.count("executed");
}

/// Executes the data as a transaction of a member of the first federation, which is free.
fn execute(data: &[u8]) -> Result<(TransactionOutcome, Evm), String> {
    // No rule is active yet.
    let main = Network::new("main", |_| -1);
    let member = bytes(&main.bridge["federation"]["genesisKeys"][0]);
    let sender = MemberKey::parse(&member).ok_or("no key")?.rsk_address();
    let store = StateStore::in_memory(&StoreOptions::default());
    let reader = store.reader(EMPTY_ROOT).map_err(|error| error.to_string())?;
    let block = BlockEnv { number: HEIGHT, gas_limit: GAS_LIMIT, ..BlockEnv::default() };
    let mut evm =
        Evm::new(BlockContext::new(Arc::new(main.spec()?), block, Arc::new(NoAncestry)), Journal::new(reader));
    let transaction = Transaction {
        hash: B256::ZERO,
        sender: sender.into(),
        nonce: U256::ZERO,
        gas_price: U256::ZERO,
        gas_limit: GAS_LIMIT,
        to: Some(rhizome_bridge::ADDRESS),
        value: U256::ZERO,
        data: Bytes::copy_from_slice(data),
        signature_accepted: true,
        signature: None,
        remasc: false,
    };
    let position = Position { index: 0, gas_used: 0, gas_limit: GAS_LIMIT };
    let outcome = evm.transact(&transaction, position, FeePayment::AtOnce, &mut NoInspector);
    Ok((outcome.map_err(|error| error.to_string())?, evm))
}
