// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

library Rates {
    function convert(uint256 amount, uint256 rate) public pure returns (uint256) {
        return amount * rate;
    }
}
