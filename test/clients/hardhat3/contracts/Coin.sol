// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {TransparentUpgradeableProxy} from "@openzeppelin/contracts/proxy/transparent/TransparentUpgradeableProxy.sol";
import {ProxyAdmin} from "@openzeppelin/contracts/proxy/transparent/ProxyAdmin.sol";

library Scale {
    function up(uint256 amount) external pure returns (uint256) {
        return amount * 1 ether;
    }
}

contract Coin is ERC20, ERC20Permit {
    constructor(string memory name, string memory symbol, uint256 supply) ERC20(name, symbol) ERC20Permit(name) {
        _mint(msg.sender, Scale.up(supply));
    }
}

contract Box {
    uint256 public value;

    function store(uint256 value_) external {
        value = value_;
    }
}

contract BoxV2 is Box {
    function increment() external {
        value += 1;
    }
}
