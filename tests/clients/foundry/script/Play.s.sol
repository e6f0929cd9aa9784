// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Counter} from "../src/Counter.sol";

interface Vm {
    function startBroadcast() external;
    function stopBroadcast() external;
    function rpc(string calldata method, string calldata params) external returns (bytes memory);
}

struct Cubes {
    bool given;
    uint64 count;
}

/// Deploys a contract and plays on it, and on one in Python that is there already. What that does here forge cannot know:
/// it runs in Python on the node.
contract Play {
    bool public constant IS_SCRIPT = true;
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    function run(address game) external {
        vm.rpc("evm_increaseTime", "[65]");
        vm.startBroadcast();
        Counter counter = new Counter();
        counter.add(3);
        counter.add(4);
        bytes memory call = abi.encodeWithSignature(
            "create_game(string,string,(bool,uint64))", "first", "second", Cubes(true, 3)
        );
        (bool known,) = game.call{gas: 5_000_000}(call);
        known;
        vm.stopBroadcast();
    }
}
