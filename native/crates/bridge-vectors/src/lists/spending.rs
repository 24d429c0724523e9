//! Inputs that spend an output of a federation whose private keys are known.

use rhizome_bitcoin::script::builder::{ScriptBuilder, pay_to_script_hash};
use rhizome_bitcoin::signature::{SIGHASH_ALL, Signature};
use rhizome_bitcoin::{Input, OutPoint, Output, Transaction, sighash};
use rhizome_crypto::hash160;
use rhizome_primitives::B256;

/// Version of transactions whose ages are checked.
const VERSION: u32 = 2;

/// Private keys from a number on, with their compressed public keys, in the order of the public keys.
pub(super) fn own_keys(first: u8, count: usize) -> Vec<(B256, Vec<u8>)> {
    let key = |number: u8| {
        let secret = B256::with_last_byte(number);
        let point = rhizome_crypto::public_key(&secret).expect("a small number is a key");
        (secret, [&[2 | point[63] & 1], &point[..32]].concat())
    };
    let mut keys: Vec<_> = (first..).take(count).map(key).collect();
    keys.sort_by(|a, b| a.1.cmp(&b.1));
    keys
}

/// A federation in which more than half of either group can sign.
pub(super) struct Spending<'a> {
    pub(super) redeem: &'a [u8],
    pub(super) members: &'a [(B256, Vec<u8>)],
    pub(super) emergency: &'a [(B256, Vec<u8>)],
    /// Blocks.
    pub(super) delay: u32,
}

impl Spending<'_> {
    /// The script of the output.
    pub(super) fn output(&self) -> Vec<u8> {
        pay_to_script_hash(&hash160(self.redeem))
    }

    /// Transactions with their variations, and whether they spend.
    pub(super) fn cases(&self) -> [(&'static str, Transaction, bool); 7] {
        let needed = |keys: &[(B256, Vec<u8>)]| keys.len() / 2 + 1;
        let (members, emergency) = (needed(self.members), needed(self.emergency));
        let last = self.members.len() - members;
        let mut other_amount = self.by_members(0, members);
        other_amount.outputs[0].value += 1;
        [
            ("the first members", self.by_members(0, members), true),
            ("the last members", self.by_members(last, members), true),
            ("a member too few", self.by_members(0, members - 1), false),
            ("another amount", other_amount, false),
            ("the emergency keys in time", self.by_emergency(emergency, self.delay), true),
            ("the emergency keys too early", self.by_emergency(emergency, self.delay - 1), false),
            ("an emergency key too few", self.by_emergency(emergency - 1, self.delay), false),
        ]
    }

    fn by_members(&self, first: usize, count: usize) -> Transaction {
        self.signed(&self.members[first..first + count], 0, u32::MAX)
    }

    fn by_emergency(&self, count: usize, age: u32) -> Transaction {
        self.signed(&self.emergency[..count], 1, age)
    }

    /// The condition of NOTIF follows the signatures: false for the members.
    fn signed(&self, signers: &[(B256, Vec<u8>)], condition: usize, sequence: u32) -> Transaction {
        let mut transaction = Transaction::new(VERSION);
        let mut input = Input::new(OutPoint { txid: B256::repeat_byte(7), index: 1 });
        input.sequence = sequence;
        transaction.inputs.push(input);
        transaction.outputs.push(Output { value: 5_000, script: pay_to_script_hash(&[1; 20]) });
        let hash = sighash::legacy(&transaction, 0, self.redeem, SIGHASH_ALL).expect("the redeem script parses");
        let mut script = ScriptBuilder::default();
        script.number(0);
        for (secret, _) in signers {
            let signed = rhizome_crypto::sign(&hash, secret).expect("a key signs");
            script.data(&Signature::new(signed.r.as_slice(), signed.s.as_slice()).to_input(SIGHASH_ALL));
        }
        script.number(condition).data(self.redeem);
        transaction.inputs[0].script = script.finish();
        transaction
    }
}
