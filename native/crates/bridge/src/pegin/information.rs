//! Sender, receiver and refund address of a peg-in (bridge.md §4.2.1).

use rhizome_bitcoin::address::Address as BitcoinAddress;
use rhizome_bitcoin::{ScriptError, Transaction};
use rhizome_primitives::Address;
use rhizome_primitives::rules::Rule;

use super::instructions::{self, instructions};
use super::sender::{Sender, sender};
use crate::storage::Frame;

/// The data of a peg-in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Information {
    /// The sender, if it is known.
    pub(crate) sender: Option<Sender>,
    /// Version of the instructions; 0 without, or with invalid ones.
    pub(crate) version: i32,
    /// Receiver of the RBTC.
    pub(crate) destination: Option<Address>,
    /// Refund address if the peg-in is rejected.
    pub(crate) refund: Option<BitcoinAddress>,
    /// True when the instructions are valid; before RSKIP379 also whether there is a sender or an instruction.
    pub(crate) valid: bool,
}

impl Information {
    /// Reads a peg-in.
    ///
    /// # Errors
    /// As for [`sender`].
    pub(crate) fn read(frame: &Frame<'_>, transaction: &Transaction) -> Result<Self, ScriptError> {
        let bitcoin = &frame.bridge().bitcoin;
        let sender = sender(bitcoin, transaction)?;
        let found = if frame.active(Rule::Rskip170) { instructions(bitcoin, transaction) } else { Ok(None) };
        let mut information = Self {
            sender,
            version: 0,
            destination: sender.and_then(|sender| sender.rsk_address),
            refund: sender.map(|sender| sender.address),
            valid: true,
        };
        match found {
            Ok(Some(given)) => {
                information.version = instructions::VERSION;
                information.destination = Some(given.destination);
                information.refund = given.refund.or(information.refund);
            }
            Ok(None) => information.valid = sender.is_some() || frame.active(Rule::Rskip379),
            Err(_) => information.valid = false,
        }
        Ok(information)
    }
}
