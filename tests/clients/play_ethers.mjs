// Plays on a node with ethers, and prints what it saw as JSON.
import { Contract, ContractFactory, JsonRpcProvider } from "ethers";

const provider = new JsonRpcProvider(process.argv[2], undefined, { cacheTimeout: -1 });
provider.pollingInterval = 20;
const [alice, bob] = [await provider.getSigner(0), await provider.getSigner(1)];
const ask = (method, ...params) => provider.send(method, params);

async function deploy(name) {
  const { abi, bytecode } = (await ask("chain_programs")).find((each) => each.name === name);
  const made = await new ContractFactory([...abi, "event Log(string text)"], bytecode, alice).deploy();
  return made.waitForDeployment();
}

const texts = (contract, receipt) =>
  receipt.logs.map((log) => contract.interface.parseLog(log)).filter((log) => log?.name === "Log").map((log) => log.args.text);

const seen = {};
const game = await deploy("Deblockle");
const created = await (await game.create_game(alice.address, bob.address, [true, 3])).wait();
seen.created = texts(game, created);
const moved = await (await game.make_move(0, 4, 5, 4, 4)).wait();
seen.moved = texts(game, moved)[0];
const [exists, record] = await game.game_state(0);
seen.state = [exists, Number(record.game.phase), Number(record.game.active_player), record.game.board.length];

try {
  await game.pass_move(0);
} catch (error) {
  seen.refused = error.reason;
}

const table = await deploy("Blokus");
await (await table.create_game(2, 0)).wait();
const joined = await (await table.connect(bob).join(0)).wait();
const event = joined.logs.map((log) => table.interface.parseLog(log))[0];
seen.event = [event.name, Number(event.args.game_id), Number(event.args.player_id), event.args.account === bob.address];
seen.found = (await table.queryFilter(table.filters.PlayerJoined(null, null, bob.address), 0)).length;

const snapshot = await ask("evm_snapshot");
const before = await provider.getBlock("latest");
await ask("evm_increaseTime", 65);
await ask("evm_mine");
seen.seconds = (await provider.getBlock("latest")).timestamp - before.timestamp;
await ask("evm_revert", snapshot);
seen.back = (await provider.getBlock("latest")).hash === before.hash;

const stranger = "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a";
await ask("anvil_impersonateAccount", stranger);
await ask("anvil_setBalance", stranger, "0xde0b6b3a7640000");
const played = await new Contract(await table.getAddress(), table.interface, await provider.getSigner(stranger)).create_game(2, 0);
seen.impersonated = (await played.wait()).from.toLowerCase() === stranger;

const named = (promise) => promise.catch((error) => error.code);
const pay = (fields) => alice.sendTransaction({ to: bob.address, gasLimit: 21_000, ...fields });
seen.named = {
  nonceBelow: await named(pay({ nonce: 0 })),
  value: await named(pay({ value: 10n ** 24n })),
  estimate: await named(alice.estimateGas({ to: bob.address, value: 10n ** 24n })),
  method: await named(ask("eth_none")),
};
await ask("evm_setAutomine", false);
const nonce = await alice.getNonce();
await ask("eth_sendTransaction", { from: alice.address, to: bob.address, nonce: `0x${nonce.toString(16)}` });
seen.named.replacement = await named(pay({ nonce }));
await ask("anvil_dropAllTransactions");
await ask("evm_setAutomine", true);
provider.destroy();
console.log(JSON.stringify(seen));
