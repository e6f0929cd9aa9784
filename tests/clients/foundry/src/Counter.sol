// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Counts to ten, and says so.
contract Counter {
    uint256 public count;

    event Counted(address indexed by, uint256 count);
    error TooMuch(uint256 most);

    function add(uint256 by) external returns (uint256) {
        if (count + by > 10) revert TooMuch(10);
        count += by;
        emit Counted(msg.sender, count);
        return count;
    }
}
