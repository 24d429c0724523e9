//! Instruction and gas table per rule set.
//!
//! The table starts empty: an opcode that is not named here does not exist, whatever the interpreter's own table gains.

use std::ops::RangeInclusive;
use std::sync::{Arc, LazyLock, RwLock};

use revm_bytecode::opcode::*;
use revm_interpreter::{GasTable, Instruction, InstructionTable, gas_table, instruction_table};
use rhizome_primitives::rules::RuleSet;

use crate::host::EvmHost;
use crate::instructions::{Wire, account, block, call, create, legacy, selfdestruct, storage};
use crate::maps::HashMap;
use crate::rules::{Activation, DUPN, OPCODE_RULES, SWAPN, TXINDEX};

/// Instructions and their static gas under one rule set.
pub(crate) struct Tables {
    pub(crate) instructions: InstructionTable<Wire, EvmHost>,
    pub(crate) gas: GasTable,
}

/// Opcodes whose built-in instruction and static gas are Rootstock's too.
const BUILT_IN: &[(u8, u8)] = &[
    (STOP, SIGNEXTEND),
    (LT, SAR),
    (KECCAK256, KECCAK256),
    (ADDRESS, ADDRESS),
    (ORIGIN, GASPRICE),
    (RETURNDATASIZE, RETURNDATACOPY),
    (COINBASE, CHAINID),
    (BASEFEE, BASEFEE),
    (POP, MSTORE8),
    (JUMP, JUMPDEST),
    (MCOPY, MCOPY),
    (PUSH0, SWAP16),
    (LOG0, LOG4),
    (RETURN, RETURN),
    (REVERT, REVERT),
];

static CACHE: LazyLock<RwLock<HashMap<RuleSet, Arc<Tables>>>> = LazyLock::new(RwLock::default);

impl Tables {
    /// The tables of a rule set, shared by all threads.
    pub(crate) fn of(rules: RuleSet) -> Arc<Self> {
        if let Ok(cache) = CACHE.read()
            && let Some(tables) = cache.get(&rules)
        {
            return tables.clone();
        }
        let tables = Arc::new(Self::build(rules));
        if let Ok(mut cache) = CACHE.write() {
            cache.insert(rules, tables.clone());
        }
        tables
    }

    fn build(rules: RuleSet) -> Self {
        let mut tables = Self { instructions: [Instruction::unknown(); 256], gas: [0; 256] };
        for &(first, last) in BUILT_IN {
            tables.take(first..=last);
        }
        for (opcode, gas, instruction) in own() {
            tables.instructions[usize::from(opcode)] = instruction;
            tables.gas[usize::from(opcode)] = gas;
        }
        for &(opcode, activation) in OPCODE_RULES {
            let exists = match activation {
                Activation::From(rule) => rules.active(rule),
                Activation::Until(rule) => !rules.active(rule),
            };
            if !exists {
                tables.instructions[usize::from(opcode)] = Instruction::unknown();
                tables.gas[usize::from(opcode)] = 0;
            }
        }
        tables
    }

    /// Takes opcodes as the interpreter has them.
    fn take(&mut self, opcodes: RangeInclusive<u8>) {
        let instructions = instruction_table::<Wire, EvmHost>();
        let gas = gas_table();
        for opcode in opcodes.map(usize::from) {
            self.instructions[opcode] = instructions[opcode];
            self.gas[opcode] = gas[opcode];
        }
    }
}

/// Opcodes with an instruction of ours and their static gas. Where the price depends on the state, or must not be
/// charged before the state is read (evm.md §5.3), the function charges it.
fn own() -> [(u8, u16, Instruction<Wire, EvmHost>); 20] {
    [
        (BALANCE, 400, Instruction::new(account::balance)),
        (SELFBALANCE, 5, Instruction::new(account::self_balance)),
        (EXTCODESIZE, 700, Instruction::new(account::code_size)),
        (EXTCODECOPY, 700, Instruction::new(account::code_copy)),
        (EXTCODEHASH, 400, Instruction::new(account::code_hash)),
        (BLOCKHASH, 20, Instruction::new(block::block_hash)),
        (SLOAD, 200, Instruction::new(storage::load)),
        (SSTORE, 0, Instruction::new(storage::store)),
        (TLOAD, 100, Instruction::new(storage::transient_load)),
        (TSTORE, 100, Instruction::new(storage::transient_store)),
        (DUPN, 3, Instruction::new(legacy::dup_n)),
        (SWAPN, 3, Instruction::new(legacy::swap_n)),
        (TXINDEX, 2, Instruction::new(legacy::transaction_index)),
        (CREATE, 0, Instruction::new(create::create::<false>)),
        (CREATE2, 0, Instruction::new(create::create::<true>)),
        (CALL, 0, Instruction::new(call::call::<CALL>)),
        (CALLCODE, 0, Instruction::new(call::call::<CALLCODE>)),
        (DELEGATECALL, 0, Instruction::new(call::call::<DELEGATECALL>)),
        (STATICCALL, 0, Instruction::new(call::call::<STATICCALL>)),
        (SELFDESTRUCT, 0, Instruction::new(selfdestruct::selfdestruct)),
    ]
}

#[cfg(test)]
mod tests {
    use rhizome_primitives::rules::Rule;
    use rhizome_primitives::{Bytes, U256, address};

    use super::*;
    use crate::local::{CallStatus, LocalCall, Message, call};
    use crate::testing::{MemoryState, all_rules, context};

    /// Returns the count of leading zeros of 1.
    const COUNT_ZEROS: [u8; 9] = [PUSH1, 1, CLZ, PUSH0, MSTORE, PUSH1, 32, PUSH0, RETURN];

    fn run(rules: RuleSet) -> Option<Bytes> {
        let contract = address!("2000000000000000000000000000000000000002");
        let state = MemoryState::default().with_code(contract, Bytes::from_static(&COUNT_ZEROS));
        let message = Message { to: Some(contract), ..Message::default() };
        let call_of =
            LocalCall { context: context(rules), message, gas: 100_000, overrides: &[], interrupt: None, effort: None };
        let outcome = call(&call_of, state.shared()).expect("a call");
        (outcome.status == CallStatus::Success).then_some(outcome.output)
    }

    #[test]
    fn an_opcode_of_a_later_fork_of_ethereum_runs_when_a_table_names_it() {
        assert_eq!(run(all_rules()), None, "it is not named");
        // A set of its own, so that its table is nobody else's.
        let rules = all_rules().without(Rule::Rskip544).without(Rule::Rskip90);
        let mut tables = Tables::build(rules);
        tables.take(CLZ..=CLZ);
        CACHE.write().expect("no panic").insert(rules, Arc::new(tables));
        assert_eq!(run(rules), Some(Bytes::from(U256::from(255).to_be_bytes::<32>())));
    }
}
