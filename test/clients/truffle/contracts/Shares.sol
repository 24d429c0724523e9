// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Rates} from "./Rates.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";

contract Shares is ERC20, Ownable, Pausable {
    event Bought(address indexed buyer, uint256 paid, uint256 got);

    uint256 public closes;

    constructor(uint256 supply) ERC20("Shares", "SHR") Ownable(msg.sender) {
        closes = block.timestamp + 1 weeks;
        _mint(msg.sender, supply);
    }

    function buy() external payable whenNotPaused {
        require(block.timestamp < closes, "Shares: closed");
        require(msg.value > 0, "Shares: nothing paid");
        uint256 got = Rates.convert(msg.value, 100);
        _mint(msg.sender, got);
        emit Bought(msg.sender, msg.value, got);
    }

    function pause() external onlyOwner {
        _pause();
    }

    function sweep(address payable to) external onlyOwner {
        to.transfer(address(this).balance);
    }

    function half(uint256 amount, uint256 by) external pure returns (uint256) {
        return amount / by;
    }

    function notUnreachable() external pure {
        assert(false);
    }
}
