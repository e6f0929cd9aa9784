// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// The counter of bench_counter.py.
contract Counter {
    uint256 public count;

    event Added(address indexed who, uint256 by, uint256 total);

    function increment(uint256 by) external {
        count += by;
        emit Added(msg.sender, by, count);
    }
}
