//! A precompiled contract by itself, as if a transaction called it: for recorded calls and tools.

use rhizome_contracts::Precompile;
use rhizome_primitives::contract::{CallType, ContractError, Log};
use rhizome_primitives::{Address, B256, Bytes, U256};

use crate::frames::{CallMetadata, Evm, contract_context};
use crate::journal::FrameState;

/// The result of a direct call.
#[derive(Clone, Debug)]
pub struct DirectCall {
    /// Longest input that a call from a contract passes on (RSKIP516); None means no limit.
    pub max_input: Option<usize>,
    /// Price, or why there is none.
    pub gas: Result<u64, ContractError>,
    /// Output, where `Ok(None)` is the reference's null; None when the price was above the limit and
    /// nothing ran.
    pub output: Option<Result<Option<Bytes>, ContractError>>,
    /// Logs, also those of a call that threw.
    pub logs: Vec<Log>,
}

/// The caller of a direct call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectCaller {
    /// A transaction of the zero address.
    Transaction,
    /// A local call of the zero address, as `eth_call` makes it.
    Local,
}

impl Evm {
    /// Prices a precompiled contract and runs it when the price is at most `gas_limit`. An absent input
    /// is the null of a transaction without data. None when no contract is active at the address.
    pub fn call_directly(
        &mut self,
        caller: DirectCaller,
        address: Address,
        input: Option<&[u8]>,
        gas_limit: u64,
    ) -> Option<DirectCall> {
        self.host.transaction.local_call = caller == DirectCaller::Local;
        let word = U256::from_be_bytes(address.into_word().0);
        let precompile = Precompile::lookup(word, self.host.rules.set)?;
        let metadata = CallMetadata {
            transaction_hash: B256::ZERO,
            origin_hash: B256::ZERO,
            sender: Address::ZERO,
            from_contract: false,
            call_type: CallType::Call,
            is_static: false,
            value: U256::ZERO,
            depth: 1,
        };
        let (context, journal, transfers) = contract_context(&mut self.host, metadata);
        let mut state = FrameState { journal, transfers };
        let gas = precompile.gas(&context, &mut state, input);
        let affordable = gas.as_ref().is_ok_and(|gas| *gas <= gas_limit);
        let output = affordable.then(|| precompile.run(&context, &mut state, input));
        let max_input = precompile.max_input(context.rules);
        let (logs, _) = self.host.journal.finish_transaction();
        Some(DirectCall { max_input, gas, output, logs })
    }
}
