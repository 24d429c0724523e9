//! Headers of the best chain by depth and height (bridge.md §3.1).

use rhizome_primitives::contract::ContractError;
use rhizome_primitives::rules::Rule;

use super::throws;
use crate::storage::Frame;
use rhizome_bitcoin::stored_header::StoredHeader;

impl Frame<'_> {
    /// The best chain's header `depth` below the head; None when the walk leaves the store.
    pub(crate) fn header_at_depth(&mut self, depth: i32) -> Result<Option<StoredHeader>, ContractError> {
        let head = self.open_headers()?;
        let mut hash = head.hash();
        for _ in 0..depth {
            match self.header(hash)? {
                Some(header) => hash = header.parent(),
                None => return Ok(None),
            }
        }
        match self.header(hash)? {
            Some(header) if header.height != head.height.wrapping_sub(depth) => {
                Err(throws("a Bitcoin header is not at the height where it should be"))
            }
            found => Ok(found),
        }
    }

    /// The best chain's header at a height. From RSKIP199 on, the index is used where it reaches, but not deeper than
    /// the index or a fixed depth.
    pub(crate) fn header_at_height(&mut self, height: i32) -> Result<Option<StoredHeader>, ContractError> {
        let head = self.open_headers()?.height;
        let depth = head.wrapping_sub(height);
        if depth < 0 {
            return Err(throws("the height is above the Bitcoin chain head"));
        }
        if self.active(Rule::Rskip199) {
            let index = &self.bridge().height_index;
            let (activation, most) = (index.activation as i32, index.max_depth_below as i32);
            let limit = if head.wrapping_sub(activation) > most { activation } else { head.wrapping_sub(most) };
            if height < limit {
                return Err(throws("the height is below the depth of the search"));
            }
            if let Some(hash) = self.best_hash_at(height)?
                && let Some(header) = self.header(hash)?
            {
                return Ok(Some(header));
            }
        }
        self.header_at_depth(depth)
    }
}
