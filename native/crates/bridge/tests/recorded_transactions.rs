//! The Bridge calls of `consensus/vm-transactions.jsonl`, executed without an EVM: those made by a transaction, and
//! those of the recorder's small contract, whose call is read from its code.

mod support;

use rhizome_primitives::contract::{CallType, ContractError};
use rhizome_primitives::rules::{Rule, RuleSet};
use rhizome_primitives::{B256, U256, hex};
use serde_json::Value;
use support::{BridgeCells, Call, MemoryState, bytes, lines, quantity};

struct Recorded<'a> {
    line: &'a Value,
    call: Call,
    data: Vec<u8>,
    /// Gas given to the call by the contract; None: all there is.
    gas: Option<u64>,
}

impl Recorded<'_> {
    fn name(&self) -> &str {
        self.line["name"].as_str().unwrap_or_default()
    }

    fn expected_cells(&self) -> MemoryState {
        let mut state = MemoryState::default();
        let account = &self.line["result"]["post"]["0x0000000000000000000000000000000001000006"];
        for (key, value) in account["storage"].as_object().into_iter().flatten() {
            let key = U256::from_be_slice(&hex::decode(key).expect("a key"));
            state.set_bridge_cell(key, bytes(value).into());
        }
        state
    }
}

fn rules_of(environments: &[Value], network: &str, number: u64) -> Vec<Rule> {
    let found = environments
        .iter()
        .find(|line| line["network"] == network && quantity(&line["number"]) == number)
        .expect("an environment");
    let names = found["activeRules"].as_array().expect("rules");
    names.iter().filter_map(|name| name.as_str().and_then(|name| name.parse().ok())).collect()
}

/// Data, call type and gas of the first call in the recorder's contract: words stored to memory, then the arguments of
/// the call.
fn read_contract(code: &[u8]) -> Option<(CallType, Vec<u8>, Option<u64>)> {
    let (mut stack, mut memory, mut at) = (Vec::<Option<U256>>::new(), vec![0u8; 4096], 0);
    while let Some(&op) = code.get(at) {
        at += 1;
        let call_type = match op {
            0x5a => {
                stack.push(None);
                continue;
            }
            0x52 => {
                let (offset, word) = (stack.pop()??, stack.pop()??);
                let offset = usize::try_from(offset).ok()?;
                memory[offset..offset + 32].copy_from_slice(&word.to_be_bytes::<32>());
                continue;
            }
            0x60..=0x7f => {
                let size = usize::from(op - 0x5f);
                stack.push(Some(U256::from_be_slice(&code[at..at + size])));
                at += size;
                continue;
            }
            0xf1 => CallType::Call,
            0xf2 => CallType::CallCode,
            0xf4 => CallType::DelegateCall,
            0xfa => CallType::StaticCall,
            _ => return None,
        };
        let gas = stack.pop()?.and_then(|gas| u64::try_from(gas).ok());
        stack.pop()?;
        if matches!(call_type, CallType::Call | CallType::CallCode) {
            stack.pop()?;
        }
        let (offset, size) = (usize::try_from(stack.pop()??).ok()?, usize::try_from(stack.pop()??).ok()?);
        return Some((call_type, memory[offset..offset + size].to_vec(), gas));
    }
    None
}

fn recorded<'a>(line: &'a Value, environments: &[Value]) -> Option<Recorded<'a>> {
    let network = line["activation"]["network"].as_str()?;
    let number = quantity(&line["blockEnv"]["number"]);
    let active = rules_of(environments, network, number);
    let chain_id = if network == "main" { 30 } else { 33 };
    let mut call = Call::new(support::spec(network, chain_id, |rule| active.contains(&rule)), number);
    let to = line["tx"]["to"].as_str()?;
    let (data, gas) = if to.ends_with("01000006") {
        call.sender = line["tx"]["from"].as_str()?.parse().ok()?;
        (bytes(&line["tx"]["data"]), None)
    } else {
        let (call_type, data, gas) = read_contract(&bytes(&line["pre"][to]["code"]))?;
        call.sender = to.parse().ok()?;
        call.from_contract = true;
        call.call_type = call_type;
        (data, gas)
    };
    Some(Recorded { line, call, data, gas })
}

fn intrinsic(rules: RuleSet, data: &[u8]) -> u64 {
    let byte = if rules.active(Rule::Rskip400) { 16 } else { 68 };
    21_000 + data.iter().map(|octet| if *octet == 0 { 4 } else { byte }).sum::<u64>()
}

fn check_transaction(recorded: &Recorded<'_>) {
    let Recorded { call, data, line, .. } = recorded;
    let result = &line["result"];
    let mut state = MemoryState::default();
    let price = call.with(|context| rhizome_bridge::gas(context, &mut state, Some(data))).expect("a price");
    let needed = intrinsic(call.rules(), data) + price;
    if needed > quantity(&line["tx"]["gasLimit"]) {
        assert_eq!(result["status"], "0x", "{}", recorded.name());
        return;
    }
    assert_eq!(needed, quantity(&result["gasUsed"]), "gas of {}", recorded.name());
    let outcome = call.with(|context| rhizome_bridge::run(context, &mut state, Some(data)));
    assert_eq!(state.cells, recorded.expected_cells().cells, "cells of {}", recorded.name());
    match outcome {
        Ok(output) => {
            assert!(result["exceptionClass"].is_null(), "{} throws", recorded.name());
            assert_eq!(output.unwrap_or_default().to_vec(), bytes(&result["output"]), "{}", recorded.name());
        }
        Err(ContractError::Failed(_)) => assert!(result["exceptionClass"].is_string(), "{}", recorded.name()),
        Err(error) => panic!("{}: {error}", recorded.name()),
    }
}

/// Returns false for calls that the recording does not show, because the surrounding frame ran out of gas.
fn check_contract(recorded: &Recorded<'_>) -> bool {
    let Recorded { call, data, line, .. } = recorded;
    let result = &line["result"];
    let slot = |key: &str| {
        let contract = line["tx"]["to"].as_str().unwrap_or_default();
        result["post"][contract]["storage"].get(key).map(bytes).unwrap_or_default()
    };
    let mut state = MemoryState::default();
    let halted = result["executed"] == false || result["status"] == "0x";
    let price = match call.with(|context| rhizome_bridge::gas(context, &mut state, Some(data))) {
        Ok(price) => price,
        Err(_) => {
            assert!(halted, "{} goes on", recorded.name());
            return true;
        }
    };
    if recorded.gas.is_some_and(|gas| gas < price) {
        assert!(halted || slot("0x00").is_empty(), "{} can pay", recorded.name());
        return true;
    }
    let outcome = call.with(|context| rhizome_bridge::run(context, &mut state, Some(data)));
    if halted {
        return outcome.is_err() && !call.rules().active(Rule::Rskip197);
    }
    match outcome {
        Ok(output) => {
            assert_eq!(slot("0x00"), [1], "{} fails", recorded.name());
            let hash = alloy_primitives::keccak256(output.unwrap_or_default());
            assert_eq!(B256::left_padding_from(&slot("0x06")), hash, "output of {}", recorded.name());
            assert_eq!(state.cells, recorded.expected_cells().cells, "cells of {}", recorded.name());
        }
        Err(ContractError::Failed(_)) => {
            assert!(slot("0x00").is_empty(), "{} succeeds", recorded.name());
            assert!(recorded.expected_cells().cells.is_empty(), "{} writes", recorded.name());
        }
        Err(error) => panic!("{}: {error}", recorded.name()),
    }
    true
}

#[test]
fn recorded_bridge_calls_end_as_the_reference_ended_them() {
    let environments: Vec<_> = lines("consensus/vm-environments.jsonl").collect();
    let (mut direct, mut by_contract, mut unseen) = (0, 0, 0);
    for line in lines("consensus/vm-transactions.jsonl")
        .filter(|line| line["name"].as_str().is_some_and(|name| name.contains("/bridge-")))
    {
        let Some(recorded) = recorded(&line, &environments) else { panic!("{} cannot be read", line["name"]) };
        if recorded.call.from_contract {
            if check_contract(&recorded) { by_contract += 1 } else { unseen += 1 }
        } else {
            check_transaction(&recorded);
            direct += 1;
        }
    }
    eprintln!("{direct} by transaction, {by_contract} by contract, {unseen} not shown by the recording");
    assert!(direct + by_contract > unseen);
}
