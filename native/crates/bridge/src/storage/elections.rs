//! Elections among authorisers (bridge.md §2.3, §4.7).

use rhizome_primitives::Address;
use rhizome_primitives::contract::ContractError;

use super::codec::{self, Item, ListWriter, malformed};
use super::{Frame, keys};

/// A call that is voted on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSpec {
    /// Name of the function.
    pub function: String,
    /// Its arguments as bytes.
    pub arguments: Vec<Vec<u8>>,
}

impl CallSpec {
    /// A call.
    pub fn new(function: &str, arguments: &[&[u8]]) -> Self {
        Self { function: function.to_owned(), arguments: arguments.iter().map(|bytes| bytes.to_vec()).collect() }
    }

    /// Key for sorting calls: name and arguments as signed bytes.
    fn sort_key(&self) -> Vec<i8> {
        let arguments = self.arguments.iter().flatten();
        self.function.as_bytes().iter().chain(arguments).map(|&byte| byte as i8).collect()
    }
}

/// Calls with their voters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Election(Vec<(CallSpec, Vec<Address>)>);

impl Election {
    /// Records a vote; false when the voter voted for this call before. The caller checks that the voter is authorised.
    pub fn vote(&mut self, call: &CallSpec, voter: Address) -> bool {
        let at = self.0.iter().position(|(voted, _)| voted == call).unwrap_or_else(|| {
            self.0.push((call.clone(), Vec::new()));
            self.0.len() - 1
        });
        let voters = &mut self.0[at].1;
        if voters.contains(&voter) {
            return false;
        }
        voters.push(voter);
        true
    }

    /// The call that has the majority of `authorised` voters.
    pub(crate) fn winner(&self, authorised: usize) -> Option<&CallSpec> {
        let needed = authorised / 2 + 1;
        self.0.iter().find(|(_, voters)| voters.len() >= needed).map(|(call, _)| call)
    }

    /// Removes the votes for the winner.
    pub(crate) fn clear_winner(&mut self, authorised: usize) {
        if let Some(winner) = self.winner(authorised).cloned() {
            self.0.retain(|(call, _)| *call != winner);
        }
    }

    /// Removes all votes.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Reads a cell; a voter who is not authorised makes it invalid.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn decode(cell: &[u8], authorised: &[Address]) -> Result<Self, ContractError> {
        let mut votes: Vec<(CallSpec, Vec<Address>)> = Vec::new();
        for [call, voters] in codec::records(cell)? {
            let (call, voters) = (decode_call(call)?, decode_voters(voters)?);
            match votes.iter_mut().find(|(known, _)| *known == call) {
                Some((_, known)) => *known = voters,
                None => votes.push((call, voters)),
            }
        }
        if votes.iter().flat_map(|(_, voters)| voters).any(|voter| !authorised.contains(voter)) {
            return Err(malformed());
        }
        Ok(Self(votes))
    }

    /// The cell of the election.
    pub fn encode(&self) -> Vec<u8> {
        let mut votes: Vec<_> = self.0.iter().collect();
        votes.sort_by_cached_key(|(call, _)| call.sort_key());
        let mut out = ListWriter::default();
        for (call, voters) in votes {
            let mut arguments = ListWriter::default();
            for argument in &call.arguments {
                arguments.bytes(argument);
            }
            let mut spec = ListWriter::default();
            spec.bytes(call.function.as_bytes()).raw(&arguments.finish());
            let mut voters = voters.clone();
            voters.sort();
            let mut addresses = ListWriter::default();
            for voter in voters {
                addresses.bytes(voter.as_slice());
            }
            out.raw(&spec.finish()).raw(&addresses.finish());
        }
        out.finish()
    }
}

fn decode_call(item: Item<'_>) -> Result<CallSpec, ContractError> {
    let [function, arguments] = item.nested_items()?[..] else { return Err(malformed()) };
    let function = String::from_utf8_lossy(function.bytes()?).into_owned();
    let arguments = arguments.items()?.into_iter().map(|item| item.bytes().map(<[u8]>::to_vec));
    Ok(CallSpec { function, arguments: arguments.collect::<Result<_, _>>()? })
}

fn decode_voters(item: Item<'_>) -> Result<Vec<Address>, ContractError> {
    item.nested_items()?.into_iter().map(|voter| voter.array().map(Address::new)).collect()
}

#[derive(Default)]
pub(crate) struct ElectionCells {
    federation: Option<Election>,
    fee: Option<Election>,
}

impl Frame<'_> {
    /// Votes for changes of the federation.
    pub(crate) fn federation_election(&mut self) -> Result<&mut Election, ContractError> {
        if self.cells.elections.federation.is_none() {
            let voters = &self.bridge().authorisers.federation_change;
            self.cells.elections.federation = Some(self.read_election(keys::FEDERATION_ELECTION, voters)?);
        }
        Ok(self.cells.elections.federation.get_or_insert_default())
    }

    /// Votes for the fee per kb.
    pub(crate) fn fee_election(&mut self) -> Result<&mut Election, ContractError> {
        if self.cells.elections.fee.is_none() {
            let voters = &self.bridge().authorisers.fee_per_kb;
            self.cells.elections.fee = Some(self.read_election(keys::FEE_ELECTION, voters)?);
        }
        Ok(self.cells.elections.fee.get_or_insert_default())
    }

    fn read_election(&mut self, key: keys::Named, voters: &[Address]) -> Result<Election, ContractError> {
        self.read(key.key())?.map_or(Ok(Election::default()), |cell| Election::decode(&cell, voters))
    }

    pub(super) fn save_elections(&mut self) -> Result<(), ContractError> {
        let cells = std::mem::take(&mut self.cells.elections);
        for (key, election) in [(keys::FEDERATION_ELECTION, cells.federation), (keys::FEE_ELECTION, cells.fee)] {
            if let Some(election) = election {
                self.write(key.key(), election.encode())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn votes_are_counted_once_and_cleared() {
        let (call, [first, second]) = (CallSpec::new("create", &[]), [1, 2].map(Address::with_last_byte));
        let mut election = Election::default();
        assert!(election.vote(&call, first));
        assert!(!election.vote(&call, first));
        assert_eq!(election.winner(3), None);
        assert!(election.vote(&call, second));
        assert_eq!(election.winner(3), Some(&call));
        election.clear_winner(3);
        assert_eq!(election, Election::default());
    }

    #[test]
    fn calls_are_sorted_by_signed_bytes() {
        let mut election = Election::default();
        let voter = Address::with_last_byte(1);
        for argument in [0x02, 0x80] {
            election.vote(&CallSpec::new("add", &[&[argument]]), voter);
        }
        let (decoded, encoded) = (Election::decode(&election.encode(), &[voter]), election.encode());
        assert_eq!(decoded.expect("a cell").0[0].0.arguments, [[0x80]]);
        assert!(Election::decode(&encoded, &[]).is_err());
    }
}
