// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {vm} from "../contracts/Vm.sol";
import {Protocols} from "../contracts/Protocols.sol";

/// A whale lends, a user borrows and mints, as a project that builds on these protocols tests it.
contract ProtocolsTest is Protocols {
    address private user = address(0x5e11e4);

    function setUp() public {
        vm.deal(user, 10 ether);
        vm.prank(whale);
        token.approve(address(loans), 1_000 ether);
        vm.prank(whale);
        loans.mint(whale, 1_000 ether);
    }

    function testLends() public view {
        require(loans.sharesOf(whale) == 1_000 ether, "shares");
        require(token.balanceOf(address(loans)) == 1_000 ether, "pool");
        require(token.balanceOf(whale) == 5_000_000 ether - 1_000 ether, "left");
    }

    function testBorrows() public {
        vm.prank(user);
        loans.borrow{value: 1 ether}(50 ether);
        require(token.balanceOf(user) == 50 ether, "borrowed");
        require(loans.collateralOf(user) == 1 ether && user.balance == 9 ether, "collateral");
        require(health(user) == 200, "health");
    }

    function testBorrowsUpToTwoThirds() public {
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSignature("Error(string)", "collateral insufficient"));
        loans.borrow{value: 1 ether}(67 ether);
        vm.prank(user);
        loans.borrow{value: 1 ether}(66 ether);
        require(health(user) == 151, "health");
    }

    function testBorrowsNothingWithoutFunds() public {
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSignature("Error(string)", "collateral insufficient"));
        loans.borrow(1);
    }

    function testFallingPrice() public {
        vm.prank(user);
        loans.borrow{value: 1 ether}(60 ether);
        vm.prank(oracle.owner());
        oracle.setPrice(80);
        require(health(user) == 133, "health");
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSignature("Error(string)", "collateral insufficient"));
        loans.borrow(1);
    }

    function testMints() public {
        uint256 reserve = stable.reserve();
        vm.prank(user);
        stable.mintDoc{value: 2 ether}(1 ether);
        require(stable.balanceOf(user) == 100 ether, "minted");
        require(user.balance == 10 ether - 1.001 ether, "change");
        require(stable.reserve() == reserve + 1.001 ether, "reserve");
    }

    function testMintsWhileThereIsCoverage() public {
        vm.deal(user, 31 ether);
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSignature("Error(string)", "coverage too low"));
        stable.mintDoc{value: 31 ether}(30 ether);
    }

    /// The newest block is one of the fork, the first one the network's.
    function testBelowTheFork() public {
        vm.createSelectFork(vm.envString("NODE_URL"), 1);
        require(block.number == 1 && address(loans).code.length == 0, "from before the protocols");
    }
}

/// What a project sees that forgets the collateral: the test fails.
contract ForgetfulTest is Protocols {
    function testBorrowsWithoutCollateral() public {
        loans.borrow(1 ether);
    }
}
