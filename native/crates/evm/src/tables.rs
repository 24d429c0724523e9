//! Instruction and gas table per rule set.
//!
//! The table starts empty: an opcode that is not named here does not exist, whatever the interpreter's own table gains.

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
        let built_in = instruction_table::<Wire, EvmHost>();
        let built_in_gas = gas_table();
        let mut tables = Self { instructions: [Instruction::unknown(); 256], gas: [0; 256] };
        for &(first, last) in BUILT_IN {
            for opcode in first..=last {
                tables.instructions[usize::from(opcode)] = built_in[usize::from(opcode)];
                tables.gas[usize::from(opcode)] = built_in_gas[usize::from(opcode)];
            }
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
