// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {vm} from "./Vm.sol";

interface IToken {
    function balanceOf(address account) external view returns (uint256);
    function approve(address spender, uint256 value) external returns (bool);
}

interface IOracle {
    function owner() external view returns (address);
    function price() external view returns (uint256);
    function setPrice(uint256 next) external;
}

interface ILoans {
    function mint(address receiver, uint256 amount) external returns (uint256);
    function borrow(uint256 amount) external payable;
    function shares() external view returns (uint256);
    function sharesOf(address account) external view returns (uint256);
    function collateralOf(address account) external view returns (uint256);
    function debtOf(address account) external view returns (uint256);
}

interface IStable {
    function mintDoc(uint256 coins) external payable;
    function balanceOf(address account) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function reserve() external view returns (uint256);
}

/// The contracts of the network that is forked; the suite says in the environment where they are.
abstract contract Protocols {
    IToken internal token = IToken(vm.envAddress("TOKEN"));
    IOracle internal oracle = IOracle(vm.envAddress("ORACLE"));
    ILoans internal loans = ILoans(vm.envAddress("LOANS"));
    IStable internal stable = IStable(vm.envAddress("STABLE"));
    /// Has tokens; nobody here has its key.
    address internal whale = vm.envAddress("WHALE");

    /// Percent of a debt that the collateral is worth; the pool lends at 150 and above.
    function health(address borrower) internal view returns (uint256) {
        return loans.collateralOf(borrower) * oracle.price() * 100 / loans.debtOf(borrower);
    }
}
