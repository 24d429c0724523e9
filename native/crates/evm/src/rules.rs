//! Every activation that changes the machine, a transaction or a precompile call, by RSKIP number.
//! The activations of single opcodes are listed in [`OPCODE_RULES`]; everything else is a field of
//! [`VmRules`]. The rules of the precompiled contracts themselves live beside them.

use revm_bytecode::opcode;
use rhizome_primitives::rules::{Rule, RuleSet};

/// Opcode of the removed DUPN (RSKIP191).
pub const DUPN: u8 = 0xa8;
/// Opcode of the removed SWAPN (RSKIP191).
pub const SWAPN: u8 = 0xa9;
/// Opcode of the removed TXINDEX (RSKIP191).
pub const TXINDEX: u8 = 0xaa;

/// Condition under which an opcode exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// From the activation of the rule on.
    From(Rule),
    /// Until the activation of the rule.
    Until(Rule),
}

/// Opcodes that do not exist at every height.
pub const OPCODE_RULES: &[(u8, Activation)] = &[
    (opcode::STATICCALL, Activation::From(Rule::Rskip91)),
    (opcode::SHL, Activation::From(Rule::Rskip120)),
    (opcode::SHR, Activation::From(Rule::Rskip120)),
    (opcode::SAR, Activation::From(Rule::Rskip120)),
    (opcode::CREATE2, Activation::From(Rule::Rskip125)),
    (opcode::EXTCODEHASH, Activation::From(Rule::Rskip140)),
    (opcode::SELFBALANCE, Activation::From(Rule::Rskip151)),
    (opcode::CHAINID, Activation::From(Rule::Rskip152)),
    (DUPN, Activation::Until(Rule::Rskip191)),
    (SWAPN, Activation::Until(Rule::Rskip191)),
    (TXINDEX, Activation::Until(Rule::Rskip191)),
    (opcode::PUSH0, Activation::From(Rule::Rskip398)),
    (opcode::BASEFEE, Activation::From(Rule::Rskip412)),
    (opcode::MCOPY, Activation::From(Rule::Rskip445)),
    (opcode::TLOAD, Activation::From(Rule::Rskip446)),
    (opcode::TSTORE, Activation::From(Rule::Rskip446)),
];

/// The rules of one height, in the form that the executor uses.
#[derive(Clone, Copy, Debug)]
pub struct VmRules {
    /// The set they come from.
    pub set: RuleSet,
    /// RSKIP88: contracts may call the Bridge.
    pub bridge_from_contracts: bool,
    /// RSKIP90: EXTCODESIZE of a precompiled contract is 2^256-1, and its output becomes the return
    /// data.
    pub precompile_code_size: bool,
    /// RSKIP103: STATICCALL takes no value word.
    pub static_call_without_value: bool,
    /// RSKIP125: created contracts start with nonce 1, and their address must be free.
    pub create_nonce_and_collision: bool,
    /// RSKIP136: a transaction to a precompiled contract must cover price and intrinsic gas.
    pub precompile_gas_with_intrinsic: bool,
    /// RSKIP144 with RSKIP351: sublists; fees are paid at the end of the block.
    pub parallel_execution: bool,
    /// RSKIP150: depth 400 instead of 1024.
    pub max_depth: usize,
    /// RSKIP150: the gas given to a call saturates (before: wraps, and a negative sum halts).
    pub call_gas_saturates: bool,
    /// RSKIP150: output of precompiled contracts is cut to the out range.
    pub precompile_output_cut: bool,
    /// RSKIP169: EXTCODEHASH of a contract without code is the hash of the empty string.
    pub standard_code_hash: bool,
    /// RSKIP171: the return data is cleared by calls that start no frame.
    pub clear_return_data: bool,
    /// RSKIP174: a creating transaction keeps the balance of the new address.
    pub creation_keeps_balance: bool,
    /// RSKIP197: a failing precompiled contract is a failed call and gives the gas back.
    pub precompile_failure_caught: bool,
    /// RSKIP400: 16 instead of 68 gas for a data byte that is not zero.
    pub nonzero_byte_gas: u64,
    /// RSKIP438: limit and price of initcode.
    pub initcode_limited: bool,
    /// RSKIP453: code that cannot be stored undoes the creation.
    pub failed_deposit_undoes: bool,
    /// RSKIP516: input of precompiled contracts is cut to what they read.
    pub precompile_input_cut: bool,
    /// RSKIP544: code must not start with 0xEF.
    pub no_ef_code: bool,
}

impl VmRules {
    /// The rules of a set.
    pub fn new(set: RuleSet) -> Self {
        let on = |rule| set.active(rule);
        Self {
            set,
            bridge_from_contracts: on(Rule::Rskip88),
            precompile_code_size: on(Rule::Rskip90),
            static_call_without_value: on(Rule::Rskip103),
            create_nonce_and_collision: on(Rule::Rskip125),
            precompile_gas_with_intrinsic: on(Rule::Rskip136),
            parallel_execution: set.parallel_execution(),
            max_depth: if on(Rule::Rskip150) { 400 } else { 1024 },
            call_gas_saturates: on(Rule::Rskip150),
            precompile_output_cut: on(Rule::Rskip150),
            standard_code_hash: on(Rule::Rskip169),
            clear_return_data: on(Rule::Rskip171),
            creation_keeps_balance: on(Rule::Rskip174),
            precompile_failure_caught: on(Rule::Rskip197),
            nonzero_byte_gas: if on(Rule::Rskip400) { 16 } else { 68 },
            initcode_limited: on(Rule::Rskip438),
            failed_deposit_undoes: on(Rule::Rskip453),
            precompile_input_cut: on(Rule::Rskip516),
            no_ef_code: on(Rule::Rskip544),
        }
    }
}

/// Largest initcode in bytes (RSKIP438).
pub const MAX_INITCODE_SIZE: usize = 49_152;
/// Largest deployed code in bytes.
pub const MAX_CODE_SIZE: usize = 24_576;
/// Gas for each byte of deployed code.
pub const CODE_DEPOSIT_GAS: u64 = 200;
