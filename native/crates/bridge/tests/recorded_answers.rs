//! The reference's answers to local calls of the Bridge (`rpc/rpc-main.jsonl`) and its receipt of a
//! refused transfer (`rpc/chain-main.jsonl`). The recorded chain leaves the Bridge without any cell.

mod support;

use rhizome_primitives::contract::{ContractError, Log, SignedHash};
use rhizome_primitives::rlp::Item;
use rhizome_primitives::{Address, B256, Bytes, U256, hex};
use serde_json::Value;
use support::{Call, MemoryState, bytes, lines, quantity};

const BRIDGE: &str = "0x0000000000000000000000000000000001000006";

fn local_call(parameters: &Value, number: u64) -> (Call, Vec<u8>) {
    let mut call = Call::new(support::regtest(), number).local();
    call.sender = parameters["from"].as_str().map_or(Address::ZERO, |from| from.parse().expect("an address"));
    (call, bytes(&parameters["data"]))
}

fn is_plain_bridge_call(request: &Value) -> bool {
    request["params"][0]["to"] == BRIDGE && request["params"].as_array().is_some_and(|all| all.len() < 3)
}

#[test]
fn recorded_calls_are_answered() {
    let mut answered = 0;
    for line in lines("rpc/rpc-main.jsonl") {
        let request = &line["request"];
        if request["method"] != "eth_call" || !is_plain_bridge_call(request) {
            continue;
        }
        let (call, data) = local_call(&request["params"][0], quantity_or(&line["head"]["number"]));
        let data = (!data.is_empty()).then_some(data.as_slice());
        let answer = match call.with(|context| rhizome_bridge::run(context, &mut MemoryState::default(), data)) {
            Ok(output) => output.unwrap_or_default(),
            Err(ContractError::Failed(_)) => Bytes::new(),
            Err(error) => panic!("{}: {error}", line["note"]),
        };
        assert_eq!(format!("0x{}", hex::encode(answer)), line["response"]["result"], "{}", line["note"]);
        answered += 1;
    }
    eprintln!("{answered} answers equal");
    assert!(answered > 30);
}

fn quantity_or(number: &Value) -> u64 {
    number.as_u64().unwrap_or_default()
}

#[test]
fn recorded_estimates_are_the_price_and_the_intrinsic_gas() {
    for line in lines("rpc/rpc-main.jsonl") {
        let request = &line["request"];
        if request["method"] != "eth_estimateGas" || !is_plain_bridge_call(request) {
            continue;
        }
        let (mut call, data) = local_call(&request["params"][0], quantity_or(&line["head"]["number"]));
        call.local = true;
        let price = call.with(|context| rhizome_bridge::gas(context, &mut MemoryState::default(), Some(&data)));
        let intrinsic = 21_000 + data.iter().map(|byte| if *byte == 0 { 4 } else { 16 }).sum::<u64>();
        assert_eq!(price.expect("a price") + intrinsic, quantity(&line["response"]["result"]), "{}", line["note"]);
    }
}

#[test]
fn the_state_of_an_idle_bridge_is_reported() {
    let spec = support::regtest();
    let mut state = MemoryState::default();
    let found = rhizome_bridge::bridge_state(&spec, spec.rules_at(33), &mut state, 33).expect("a state");
    assert_eq!(state, MemoryState::default());
    for line in lines("rpc/rpc-main.jsonl").filter(|line| line["request"]["method"] == "eth_bridgeState") {
        let answer = &line["response"]["result"];
        assert_eq!(answer["btcBlockchainBestChainHeight"], found.btc_blockchain_best_chain_height);
        assert_eq!(
            answer["rskTxsWaitingForSignatures"].as_array().map(Vec::len),
            Some(found.waiting_for_signatures.len())
        );
    }
}

fn receipt_logs(receipt: &[u8]) -> Vec<Log> {
    let fields = Item::read_only(receipt).and_then(Item::items).expect("a receipt");
    let logs = fields[3].items().expect("logs");
    logs.into_iter()
        .map(|log| {
            let parts = log.items().expect("a log");
            let topics = parts[1].items().expect("topics");
            Log {
                address: Address::from_slice(parts[0].bytes().expect("an address")),
                topics: topics.iter().map(|topic| B256::left_padding_from(topic.bytes().expect("a topic"))).collect(),
                data: Bytes::copy_from_slice(parts[2].bytes().expect("data")),
            }
        })
        .collect()
}

#[test]
fn recorded_transactions_to_the_bridge_leave_their_receipts() {
    let mut checked = 0;
    for line in lines("rpc/chain-main.jsonl").filter(|line| line["main"] == true && line["rlp"].is_string()) {
        let block = bytes(&line["rlp"]);
        let block = Item::read_only(&block).and_then(Item::items).expect("a block");
        let transactions = block[1].items().expect("transactions");
        for (transaction, recorded) in transactions.iter().zip(line["txs"].as_array().into_iter().flatten()) {
            let fields = transaction.items().expect("a transaction");
            if format!("0x{}", hex::encode(fields[3].bytes().expect("a receiver"))) != BRIDGE {
                continue;
            }
            let mut call = Call::new(support::regtest(), line["number"].as_u64().expect("a number"));
            // In the recorded chain these calls have a single sender, which the log of the refused transfer names.
            call.sender = "0x7986b3df570230288501eea3d890bd66948c9b79".parse().expect("an address");
            call.value = fields[4].u256().expect("a value");
            // The signing key only matters for accepted amounts.
            let component = |index: usize| B256::left_padding_from(fields[index].bytes().expect("a component"));
            call.signature =
                Some(SignedHash { hash: B256::repeat_byte(1), parity: 0, r: component(7), s: component(8) });
            let data = fields[5].bytes().expect("data");
            let data = (!data.is_empty()).then_some(data);
            let mut state = MemoryState::default();
            let price = call.with(|context| rhizome_bridge::gas(context, &mut state, data)).expect("a price");
            let intrinsic =
                21_000 + data.unwrap_or_default().iter().map(|byte| if *byte == 0 { 4 } else { 16 }).sum::<u64>();
            assert_eq!(
                intrinsic + price,
                recorded["gasUsed"].as_str().and_then(|gas| gas.parse::<u64>().ok()).expect("gas")
            );
            let outcome = call.with(|context| rhizome_bridge::run(context, &mut state, data));
            assert_eq!(state.logs, receipt_logs(&bytes(&recorded["receiptRlp"])));
            assert!(state.cells.is_empty());
            let refunded = outcome.is_ok();
            assert_eq!(refunded, !call.value.is_zero());
            let balance = state.balance_of(call.sender);
            assert_eq!(balance, if refunded { call.value } else { U256::ZERO });
            checked += 1;
        }
    }
    eprintln!("{checked} receipts equal");
}
