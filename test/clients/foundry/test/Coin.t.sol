// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {vm} from "../contracts/Vm.sol";
import {Coin} from "../contracts/Coin.sol";

contract CoinTest {
    Coin private coin;

    function setUp() public {
        coin = new Coin(1000 ether);
    }

    function testSupply() public view {
        require(coin.balanceOf(address(this)) == 1000 ether, "supply");
    }

    function testTransfer(uint96 value) public {
        uint256 sent = uint256(value) % 1000 ether;
        coin.transfer(address(0xBEEF), sent);
        require(coin.balanceOf(address(0xBEEF)) == sent, "sent");
        require(coin.balanceOf(address(this)) == 1000 ether - sent, "left");
    }

    function testRevert() public {
        vm.expectRevert(abi.encodeWithSelector(Coin.TooMuch.selector, address(this), 1001 ether, 1000 ether));
        coin.mint(address(this), 1001 ether);
    }
}
