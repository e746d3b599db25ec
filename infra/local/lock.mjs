// JavaScript, because bootstrap.mjs imports it and runs on Node versions that cannot strip types.
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** @typedef {{ release(): Promise<void> }} Lock */

/**
 * Takes a lock that the system releases when its holder dies: a listening socket. On Linux it has no file. Elsewhere, a
 * socket file without a listener belongs to a dead holder and is removed.
 *
 * @param {string} name what the lock protects, for example a path
 * @param {string} [holder] the text that `holderOf` returns to others
 * @returns {Promise<Lock | undefined>} undefined when another caller holds the lock
 */
export async function tryLock(name, holder = '') {
  const address = addressOf(name);
  const server = (await listen(address, holder)) ?? (await takeOver(address, holder));
  return server && { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

/**
 * The text that the lock's holder gave to `tryLock`; undefined while the lock is free.
 *
 * @param {string} name
 * @returns {Promise<string | undefined>}
 */
export const holderOf = (name) => ask(addressOf(name));

/**
 * Runs the work with the lock held. Calls `onWait` once when it has to wait for another holder.
 *
 * @template T
 * @param {string} name
 * @param {() => void} onWait
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(name, onWait, work) {
  let lock = await tryLock(name);
  if (!lock) onWait();
  while (!lock) {
    await pause(200);
    lock = await tryLock(name);
  }
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/** @param {string} name */
function addressOf(name) {
  const key = `mostrador-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
  return process.platform === 'linux' ? `\0${key}` : join(tmpdir(), `${key}.sock`);
}

/**
 * @param {string} address
 * @param {string} holder
 * @returns {Promise<import('node:net').Server | undefined>}
 */
function listen(address, holder) {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.on('error', () => {}).end(holder));
    server.once('error', (/** @type {NodeJS.ErrnoException} */ error) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(address, () => {
      server.unref();
      resolve(server);
    });
  });
}

/**
 * @param {string} address
 * @param {string} holder
 */
async function takeOver(address, holder) {
  if (address.startsWith('\0') || (await ask(address)) !== undefined) return undefined;
  rmSync(address, { force: true });
  return listen(address, holder);
}

/**
 * @param {string} address
 * @returns {Promise<string | undefined>}
 */
function ask(address) {
  return new Promise((resolve) => {
    const socket = connect(address);
    let text = '';
    socket.setTimeout(2000, () => socket.destroy());
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => resolve(undefined));
    socket.on('close', () => resolve(text));
  });
}
