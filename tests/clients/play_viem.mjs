// Plays on a node with viem, and prints what it saw as JSON.
import {
  BaseError, ContractFunctionRevertedError, createTestClient, http, parseAbiItem, parseEther, parseEventLogs, publicActions, walletActions,
  webSocket,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { foundry } from "viem/chains";

const url = process.argv[2];
const settings = { mode: "anvil", chain: foundry, cacheTime: 0, pollingInterval: 20 };
const client = createTestClient({ ...settings, transport: http(url) }).extend(publicActions).extend(walletActions);
const socket = createTestClient({ ...settings, transport: webSocket(url.replace("http", "ws")) }).extend(publicActions);
const [alice, bob] = await client.getAddresses();
const done = (hash) => client.waitForTransactionReceipt({ hash });

async function deploy(name) {
  const programs = await client.request({ method: "chain_programs" });
  const { abi, bytecode } = programs.find((each) => each.name === name);
  const { contractAddress: address } = await done(await client.deployContract({ abi, bytecode, account: alice }));
  return { address, abi: [...abi, parseAbiItem("event Log(string text)")] };
}

const send = async (contract, account, functionName, ...args) =>
  done(await client.writeContract({ ...contract, account, functionName, args }));
const texts = (contract, receipt) =>
  parseEventLogs({ abi: contract.abi, eventName: "Log", logs: receipt.logs }).map((log) => log.args.text);

const seen = {};
const game = await deploy("Deblockle");
seen.created = texts(game, await send(game, alice, "create_game", alice, bob, [true, 3n]));
seen.moved = texts(game, await send(game, alice, "make_move", 0n, 4, 5, 4, 4))[0];
const state = await client.readContract({ ...game, functionName: "game_state", args: [0n] });
const [exists, record] = Array.isArray(state) ? state : Object.values(state);
seen.state = [exists, record.game.phase, record.game.active_player, record.game.board.length];

try {
  await client.simulateContract({ ...game, account: alice, functionName: "pass_move", args: [0n] });
} catch (error) {
  seen.refused = error instanceof BaseError && error.walk((each) => each instanceof ContractFunctionRevertedError).reason;
}

const table = await deploy("Blokus");
await send(table, alice, "create_game", 2, 0);
const heard = new Promise((resolve) =>
  socket.watchContractEvent({ ...table, eventName: "PlayerJoined", onLogs: resolve }),
);
await new Promise((resolve) => setImmediate(resolve));
await socket.getBlockNumber(); // answered after the subscription
const joined = await send(table, bob, "join", 0n);
const [event] = parseEventLogs({ abi: table.abi, eventName: "PlayerJoined", logs: joined.logs });
seen.event = [event.eventName, Number(event.args.game_id), event.args.player_id, event.args.account === bob];
const filter = { ...table, eventName: "PlayerJoined", args: { account: bob }, fromBlock: 0n };
seen.found = (await client.getContractEvents(filter)).length;
seen.heard = (await heard)[0].args.account === bob;

const id = await client.snapshot();
const before = await client.getBlock();
await client.increaseTime({ seconds: 65 });
await client.mine({ blocks: 1 });
seen.seconds = Number((await client.getBlock()).timestamp - before.timestamp);
await client.revert({ id });
seen.back = (await client.getBlock()).hash === before.hash;

const stranger = "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a";
await client.impersonateAccount({ address: stranger });
await client.setBalance({ address: stranger, value: parseEther("1") });
const played = await send(table, stranger, "create_game", 2, 0);
seen.impersonated = played.from === stranger;

await client.setAutomine(false);
const waiting = await client.writeContract({ ...table, account: alice, functionName: "create_game", args: [2, 0] });
seen.pool = (await client.getTxpoolStatus()).pending;
await client.dropTransaction({ hash: waiting });
seen.dropped = (await client.getTxpoolStatus()).pending;
await client.setAutomine(true);

const wallet = privateKeyToAccount(`0x${"57".repeat(32)}`);
await client.setBalance({ address: wallet.address, value: parseEther("1") });
const authorization = await client.signAuthorization({ account: wallet, contractAddress: table.address, executor: "self" });
await done(await client.sendTransaction({ account: wallet, to: bob, authorizationList: [authorization] }));
seen.lent = (await client.getCode(wallet)) === `0xef0100${table.address.slice(2)}`;

const kinds = {
  nonceBelow: { nonce: 0 },
  value: { value: parseEther("1000000") },
  gasBelow: { gas: 20_999n },
  gasAbove: { gas: 10n ** 9n },
  fee: { maxFeePerGas: 1n, maxPriorityFeePerGas: 0n },
};
seen.named = {};
for (const [kind, fields] of Object.entries(kinds)) {
  const sent = client.sendTransaction({ account: alice, to: bob, gas: 21_000n, ...fields });
  seen.named[kind] = await sent.catch((error) => error.cause.name);
}
seen.named.call = await client.call({ account: alice, to: bob, ...kinds.value }).catch((error) => error.cause.name);
await client.sendTransaction({ account: alice, to: bob, gas: 21_000n, nonce: 1_000 });
seen.queued = (await client.getTxpoolStatus()).queued;
console.log(JSON.stringify(seen));
process.exit(0); // the socket would hold it
