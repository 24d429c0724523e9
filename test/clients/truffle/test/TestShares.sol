// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "truffle/Assert.sol";
import "truffle/DeployedAddresses.sol";
import "../contracts/Shares.sol";

contract TestShares {
    uint256 public initialBalance = 1 ether;

    function testSupplyOfDeployedContract() public {
        Assert.equal(Shares(DeployedAddresses.Shares()).totalSupply(), 1000, "supply of the migration");
    }

    function testBuying() public {
        Shares shares = new Shares(7);
        shares.buy{value: 5}();
        Assert.equal(shares.balanceOf(address(this)), 507, "shares for what was paid");
    }
}
