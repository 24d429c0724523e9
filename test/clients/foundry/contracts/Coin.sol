// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

contract Coin is ERC20 {
    error TooMuch(address caller, uint256 asked, uint256 most);

    uint256 public constant MOST = 1000 ether;

    constructor(uint256 supply) ERC20("Coin", "CN") {
        _mint(msg.sender, supply);
    }

    function mint(address to, uint256 value) external {
        if (value > MOST) revert TooMuch(msg.sender, value, MOST);
        _mint(to, value);
    }
}
