// Plays on a node with Hardhat: its viem and ethers, its assertions, and every network helper. Prints what it saw as JSON.
// It deploys from the artifacts in the folder that it is given, as if Hardhat had compiled them.
import ethersPlugin from "@nomicfoundation/hardhat-ethers";
import helpersPlugin from "@nomicfoundation/hardhat-network-helpers";
import viemPlugin from "@nomicfoundation/hardhat-viem";
import assertionsPlugin from "@nomicfoundation/hardhat-viem-assertions";
import { createHardhatRuntimeEnvironment } from "hardhat/hre";
import { parseEventLogs } from "viem";

const [url, folder] = process.argv.slice(2);
const plugins = [ethersPlugin, helpersPlugin, viemPlugin, assertionsPlugin];
const networks = { local: { type: "http", chainType: "l1", url } };
const paths = { artifacts: folder, cache: folder };
const hardhat = await createHardhatRuntimeEnvironment({ plugins, networks, paths }, { network: "local" }, import.meta.dirname);
const { viem, ethers, networkHelpers: helpers, provider } = await hardhat.network.create();
const ask = (method, ...params) => provider.request({ method, params });
const seen = {};

// Contracts in Python

const { assertions } = viem;
const client = await viem.getPublicClient({ cacheTime: 0, pollingInterval: 20 });
const [alice, bob] = (await viem.getWalletClients()).map((each) => each.account);
const texts = async (contract, hash) => {
  const { logs } = await client.waitForTransactionReceipt({ hash });
  return parseEventLogs({ abi: contract.abi, eventName: "Log", logs }).map((log) => log.args.text);
};
const game = await viem.deployContract("Deblockle");
seen.created = await texts(game, await game.write.create_game([alice.address, bob.address, [true, 3n]]));
seen.moved = (await texts(game, await game.write.make_move([0n, 4, 5, 4, 4])))[0];
const { exists, value } = await game.read.game_state([0n]);
seen.state = [exists, value.game.phase, value.game.active_player, value.game.board.length];
seen.refused = "Wrong player's turn! ";
await assertions.revertWith(game.write.pass_move([0n]), seen.refused);

const table = await viem.deployContract("Blokus");
await table.write.create_game([2, 0]);
await assertions.emit(table.write.join([0n], { account: bob }), table, "PlayerJoined");
const events = await table.getEvents.PlayerJoined({ account: bob.address });
const [{ eventName, args }] = events;
seen.event = [eventName, Number(args.game_id), args.player_id, args.account.toLowerCase() === bob.address];
seen.found = events.length;

// Bytecode

const math = await viem.deployContract("Math");
await assertions.emitWithArgs(math.write.incrementCounter([5n]), math, "Increased", [5n]);
const counter = await ethers.getContractAt("Math", math.address);
seen.counter = [await counter.counter(), (await (await counter.incrementCounter()).wait()).status].map(Number);
const errors = await viem.deployContract("Errors");
const { read } = errors;
await assertions.revert(read.revertWithoutMessage());
await assertions.revertWith(read.revertWithMessage(), "Function has been reverted.");
await assertions.revertWithCustomError(read.customErrorWithoutMessage(), errors, "Unauthorized");
const words = ["You are not authorized"];
await assertions.revertWithCustomErrorWithArgs(read.customErrorWithMessage(), errors, "UnauthorizedWithMessage", words);
const wallet = await viem.getWalletClient(alice.address);
const paid = wallet.sendTransaction({ to: bob.address, value: 5n });
await assertions.balancesHaveChanged(paid, [{ address: bob.address, amount: 5n }]);

// What is refused

const [signer] = await ethers.getSigners();
const kinds = {
  nonceBelow: { nonce: 0 },
  value: { value: 10n ** 24n },
  gasBelow: { gasLimit: 20_999 },
  fee: { maxFeePerGas: 1n, maxPriorityFeePerGas: 0n },
};
seen.named = {};
const name = (error) => [error.name, error.code, error.message.split(":")[0]];
for (const [kind, fields] of Object.entries(kinds)) {
  seen.named[kind] = await signer.sendTransaction({ to: bob.address, gasLimit: 21_000, ...fields }).catch(name);
}
seen.named.reverted = await (await ethers.getContractAt("Deblockle", game.address)).pass_move(0).catch(name);
seen.named.method = (await ask("eth_none").catch(name)).slice(0, 2);

// Every helper

const { time } = helpers;
const who = "0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c";
const latest = () => ask("eth_getBlockByNumber", "latest", false);
const grown = async (read, act) => {
  const before = await read();
  await act(before);
  return (await read()) - before;
};
seen.increaseTo = await grown(time.latest, (now) => time.increaseTo(now + 500));
seen.next = await grown(time.latest, async (now) => {
  await time.setNextBlockTimestamp(now + 7);
  await helpers.mine();
});
seen.mine = await grown(time.latestBlock, () => helpers.mine(5, { interval: 12 }));
seen.mineUpTo = await grown(time.latestBlock, (number) => helpers.mineUpTo(number + 4));
await helpers.setBalance(who, 10n ** 18n);
await helpers.setNonce(who, 9);
await helpers.setStorageAt(who, 0, 42);
seen.account = [await ask("eth_getBalance", who, "latest"), await ask("eth_getTransactionCount", who, "latest")];
seen.word = Number(await helpers.getStorageAt(who, 0));
await helpers.impersonateAccount(who);
seen.impersonated = (await ask("eth_sendTransaction", { from: who, to: who })).length;
await helpers.stopImpersonatingAccount(who);
await helpers.setCode(who, "0x60005460005260206000f3");
seen.code = await ask("eth_getCode", who, "latest");
const snapshot = await helpers.takeSnapshot();
const before = (await latest()).hash;
seen.seconds = await grown(time.latest, () => time.increase(65));
await snapshot.restore();
seen.back = (await latest()).hash === before;
const fixture = async () => {
  await helpers.mine();
  return time.latestBlock();
};
const first = await helpers.loadFixture(fixture);
await helpers.mine(3);
seen.fixture = (await helpers.loadFixture(fixture)) === first && (await time.latestBlock()) === first;
helpers.clearSnapshots();
await helpers.setNextBlockBaseFeePerGas(77);
await helpers.setPrevRandao(5);
await helpers.setCoinbase(who);
await helpers.mine();
const block = await latest();
seen.block = [Number(block.baseFeePerGas), Number(block.mixHash), block.miner === who];
await helpers.setBlockGasLimit(Number(block.gasLimit));
await ask("evm_setAutomine", false);
const waiting = await ask("eth_sendTransaction", { to: who, gas: "0x7530" });
await helpers.dropTransaction(waiting);
seen.waiting = await ask("eth_getTransactionByHash", waiting);
await ask("evm_setAutomine", true);
console.log(JSON.stringify(seen));
