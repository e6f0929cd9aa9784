// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Counter} from "../src/Counter.sol";
import {Four} from "../src/Four.sol";

interface Vm {
    function envUint(string calldata name) external returns (uint256);
    function envBytes(string calldata name) external returns (bytes memory);
    function prank(address sender) external;
}

Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

/// Recorded games, over and over. A byte is a column; 255 begins a game; 128 and more is a move out of turn.
contract PlayTest {
    Four four;

    function setUp() public {
        four = new Four();
    }

    function test_play() public {
        bytes memory moves = vm.envBytes("MOVES");
        uint256 rounds = vm.envUint("ROUNDS");
        uint64 game;
        address[2] memory players = [address(0xa11ce), address(0xb0b)];
        for (uint256 round = 0; round < rounds; round++) {
            uint256 turn;
            for (uint256 i = 0; i < moves.length; i++) {
                uint8 move = uint8(moves[i]);
                if (move == 255) {
                    game = four.create(players[0], players[1]);
                    turn = 0;
                    continue;
                }
                vm.prank(players[move < 128 ? turn : 1 - turn]);
                try four.drop(game, move & 127) {
                    turn = 1 - turn;
                } catch {}
            }
        }
        require(four.boards(game) == vm.envUint("LAST_BOARD"), "another game was played");
    }
}

contract CounterInvariantTest {
    Counter counter;

    function setUp() public {
        counter = new Counter();
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(counter);
    }

    function invariant_count() public view {
        uint256 count = counter.count();
        require(count >= 1 || count == 0);
    }
}

contract FourInvariantTest {
    Four four;

    function setUp() public {
        four = new Four();
        four.create(address(0x10), address(0x20));
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(four);
    }

    function targetSenders() public pure returns (address[] memory senders) {
        senders = new address[](3);
        senders[0] = address(0x10);
        senders[1] = address(0x20);
        senders[2] = address(0x30);
    }

    /// Nobody has moved twice more than the other.
    function invariant_turns_alternate() public view {
        uint256 board = four.boards(0);
        uint256 player = board >> 84;
        int256 ahead = 0;
        for (uint256 square = 0; square < 42; square++) {
            uint256 found = (board >> (2 * square)) & 3;
            if (found == 1) ahead += 1;
            if (found == 2) ahead -= 1;
        }
        require(player == 0 ? ahead == 0 || ahead == 1 : ahead == int256(player) - 1);
    }
}
