//! The duration of calls of the Bridge.

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;

use rhizome_bridge::method::{self, Method};
use rhizome_evm::trace::NoInspector;
use rhizome_evm::{BlockContext, DirectCaller, Evm, FeePayment, Journal, Position, Transaction};
use rhizome_primitives::state::StateReader;
use rhizome_primitives::{Bytes, U256};
use rustix::time::{ClockId, clock_gettime};

/// The caller.
pub(crate) enum Caller {
    /// A transaction, to the Bridge or to a contract that passes the data on.
    Transaction(Box<Transaction>),
    /// A local call.
    Local,
}

/// A call on a state.
pub(crate) struct Case {
    pub(crate) caller: Caller,
    pub(crate) data: Bytes,
    pub(crate) context: BlockContext,
    pub(crate) state: Arc<dyn StateReader>,
}

/// The cost of a call.
pub(crate) struct Timing {
    pub(crate) method: Method,
    /// Price of the method with its data, without the transaction's gas.
    pub(crate) gas: u64,
    /// Processor seconds of the call on its own.
    pub(crate) first: f64,
    /// Processor seconds of each further call in the same block.
    pub(crate) further: f64,
    pub(crate) threw: bool,
}

/// Gas of a block of the main network.
const BLOCK_GAS: u64 = 6_800_000;
/// Maximum number of calls that are made in a block.
const MAX_CALLS: u64 = 4;
/// Number of times that a call is measured; the fastest one counts, because noise only adds time.
const ROUNDS: usize = 2;
/// Milliseconds per million gas from which on a call is measured more often.
const SUSPICIOUS: f64 = 20.0;
const SUSPICIOUS_ROUNDS: usize = 4;

/// Processor seconds of this thread.
pub(crate) fn processor_seconds() -> f64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

impl Case {
    /// None when the data name no existing method, or the call has no price.
    pub(crate) fn measure(&self) -> Result<Option<Timing>, Box<dyn Error>> {
        let Some(gas) = self.price() else { return Ok(None) };
        let (mut first, mut further, mut threw) = (f64::INFINITY, f64::INFINITY, false);
        let mut rounds = ROUNDS;
        let mut round = 0;
        while round < rounds {
            let mut evm = Evm::new(self.context.clone(), Journal::new(self.state.clone()));
            let start = processor_seconds();
            threw = match self.call(&mut evm, 0) {
                Ok(threw) => threw,
                Err(_) => return Ok(None),
            };
            let end = processor_seconds();
            first = first.min(end - start);
            let calls = (BLOCK_GAS / gas.max(1)).min(MAX_CALLS);
            for number in 1..calls {
                self.call(&mut evm, number)?;
            }
            if calls > 1 {
                further = further.min((processor_seconds() - end) / (calls - 1) as f64);
            }
            if round == 0 && first * 1e9 / gas as f64 > SUSPICIOUS {
                rounds = SUSPICIOUS_ROUNDS;
            }
            round += 1;
        }
        let method = match self.data.first_chunk::<4>() {
            Some(selector) => method::by_selector(*selector).map(|found| found.method),
            None => Some(Method::ReleaseBtc),
        };
        let further = if further.is_finite() { further } else { first };
        Ok(method.map(|method| Timing { method, gas, first, further, threw }))
    }

    /// The price for a contract, or for a transaction that is not free.
    fn price(&self) -> Option<u64> {
        let mut evm = Evm::new(self.context.clone(), Journal::new(self.state.clone()));
        let data = (!self.data.is_empty()).then_some(&self.data[..]);
        let call = evm.call_directly(DirectCaller::Transaction, rhizome_bridge::ADDRESS, data, 0)?;
        call.gas.ok().filter(|gas| *gas > 0)
    }

    /// Returns whether the call threw.
    fn call(&self, evm: &mut Evm, number: u64) -> Result<bool, Box<dyn Error>> {
        match &self.caller {
            Caller::Local => {
                let data = (!self.data.is_empty()).then_some(&self.data[..]);
                let call = evm.call_directly(DirectCaller::Local, rhizome_bridge::ADDRESS, data, u64::MAX);
                Ok(black_box(call).and_then(|call| call.output).is_none_or(|output| output.is_err()))
            }
            Caller::Transaction(transaction) => {
                let gas_limit = self.context.block.gas_limit.max(10 * BLOCK_GAS);
                let transaction = Transaction {
                    nonce: transaction.nonce + U256::from(number),
                    gas_price: U256::ZERO,
                    gas_limit,
                    ..(**transaction).clone()
                };
                let position = Position { index: 0, gas_used: 0, gas_limit };
                let outcome = evm.transact(&transaction, position, FeePayment::AtOnce, &mut NoInspector)?;
                Ok(black_box(outcome).failure.is_some())
            }
        }
    }
}
