// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

/// Every way in which a call can fail.
contract Failures {
    uint256 public calls;

    error Refused(address caller, uint256 code, string reason);
    error Bare();

    function withReason(string calldata reason) external pure {
        revert(reason);
    }

    function withError(uint256 code, string calldata reason) external view {
        revert Refused(msg.sender, code, reason);
    }

    function withBareError() external pure {
        revert Bare();
    }

    function withoutData() external pure {
        assembly {
            revert(0, 0)
        }
    }

    function overflow(uint256 value) external pure returns (uint256) {
        return value + type(uint256).max;
    }

    function divide(uint256 value, uint256 by) external pure returns (uint256) {
        return value / by;
    }

    function assertion(bool holds) external pure {
        assert(holds);
    }

    function invalidOpcode() external pure {
        assembly {
            invalid()
        }
    }

    function exhaust() external {
        while (true) calls++;
    }

    /// Fails inside a call to itself and goes on: the failed part leaves no trace in the state.
    function caught() external returns (bytes memory data) {
        (, data) = address(this).call(abi.encodeCall(this.countAndRefuse, ()));
        calls += 1;
    }

    function countAndRefuse() external {
        calls += 100;
        revert Bare();
    }
}
