import { crc32 } from 'node:zlib'
import type { Locks } from './locks.ts'
import type { Table } from './table.ts'

const MAGIC = 'ENTCNTR1'
const HEAD_BYTES = 32
const ENTRY_BYTES = 24

/** Magic, capacity, the hash's key, number of entries, checksum; then one entry per running window. */
export function dumpTable(table: Table, locks: Locks, nowMs: number): Buffer {
  const entries: Buffer[] = []
  for (let bucket = 0; bucket < table.buckets; bucket++) {
    const word = locks.lock(bucket)
    try {
      for (const slot of table.slotsOf(bucket)) {
        if (isKept(table, slot, nowMs)) entries.push(entryOf(table, slot))
      }
    } finally {
      locks.unlock(bucket, word)
    }
  }
  const body = Buffer.concat(entries)
  const head = Buffer.alloc(HEAD_BYTES)
  const secret = table.secret()
  head.write(MAGIC, 0, 'latin1')
  head.writeUInt32LE(table.capacity, 8)
  head.writeUInt32LE(secret.low, 12)
  head.writeUInt32LE(secret.high, 16)
  head.writeUInt32LE(entries.length, 20)
  head.writeUInt32LE(crc32(body, crc32(head.subarray(0, 24))), 24)
  return Buffer.concat([head, body])
}

/** All or nothing: false when the dump does not fit this table or the table is in use. */
export function loadTable(table: Table, dump: Buffer, nowMs: number): boolean {
  if (!isSound(dump) || dump.readUInt32LE(8) !== table.capacity || !isEmpty(table)) return false
  table.adoptSecret({ low: dump.readUInt32LE(12), high: dump.readUInt32LE(16) })
  for (let at = HEAD_BYTES; at < dump.length; at += ENTRY_BYTES) {
    const hash = { low: dump.readUInt32LE(at), high: dump.readUInt32LE(at + 4) }
    const endsAtMs = dump.readDoubleLE(at + 8)
    const slot = table.findFree(table.bucketOf(hash), nowMs)
    if (endsAtMs <= nowMs || slot < 0) continue
    table.claim(slot, hash, endsAtMs)
    table.set(table.columns.value, slot, dump.readDoubleLE(at + 16))
  }
  return true
}

/** A seeded counter is not kept: the next start seeds it anew, from records of all nodes. */
function isKept({ columns, get }: Table, slot: number, nowMs: number): boolean {
  return get(columns.endsAtMs, slot) > nowMs && get(columns.epoch, slot) === 0
}

/** What is owed to a store is part of the count: its names are lost, so it can only be kept here. */
function entryOf(table: Table, slot: number): Buffer {
  const { columns, get } = table
  const { low, high } = table.keyOf(slot)
  const entry = Buffer.alloc(ENTRY_BYTES)
  entry.writeUInt32LE(low, 0)
  entry.writeUInt32LE(high, 4)
  entry.writeDoubleLE(get(columns.endsAtMs, slot), 8)
  entry.writeDoubleLE(get(columns.value, slot) + get(columns.owed, slot), 16)
  return entry
}

function isSound(dump: Buffer): boolean {
  if (dump.length < HEAD_BYTES || dump.toString('latin1', 0, MAGIC.length) !== MAGIC) return false
  const body = dump.subarray(HEAD_BYTES)
  if (body.length !== dump.readUInt32LE(20) * ENTRY_BYTES) return false
  return dump.readUInt32LE(24) === crc32(body, crc32(dump.subarray(0, 24)))
}

function isEmpty(table: Table): boolean {
  for (let bucket = 0; bucket < table.buckets; bucket++) {
    if (!table.isUnused(bucket)) return false
  }
  return true
}
