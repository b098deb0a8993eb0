import { type Kysely, sql } from 'kysely'

export interface CountersTables {
  kernel_counters: { name: string; value: number; ends_at: number; epoch: number }
}

/**
 * The table and functions of `createPostgresCounters`, for a migration. Unlogged: counts change
 * with every request and none of them waits for the disk. After a crash of the server the table is
 * empty, so counters that must not start from zero are `seeded`.
 */
export async function createCountersTable(db: Kysely<CountersTables>): Promise<void> {
  // Room on each page lets an update of the count stay there, without touching an index.
  await sql`
    create unlogged table if not exists kernel_counters (
      name text collate "C" primary key,
      value bigint not null,
      ends_at bigint not null
    ) with (fillfactor = 50)`.execute(db)
  await sql`
    alter table kernel_counters add column if not exists epoch bigint not null default 0`.execute(
    db,
  )
  await sql`
    create index if not exists kernel_counters_ends_at on kernel_counters (ends_at)`.execute(db)
  await END_OF.execute(db)
  await IS_CURRENT.execute(db)
  for (const former of FORMER) await former.execute(db)
  await DECIDE_ALL.execute(db)
}

/** The functions of versions before epochs; those of one call at a time stay for nodes that are not updated yet. */
const FORMER = [
  sql`drop function if exists kernel_counters_add_many(jsonb, bigint)`,
  sql`drop function if exists kernel_counters_add(
    text[], text[], bigint[], bigint[], bigint[], boolean[], boolean[], bigint)`,
]

const END_OF = sql`
create or replace function kernel_counters_end_of(unit text, length bigint, at_ms bigint)
returns bigint language sql immutable as $$
  select case unit
    when 'fixed' then at_ms + length
    when 'minute' then (at_ms / 60000 + 1) * 60000
    when 'hour' then (at_ms / 3600000 + 1) * 3600000
    when 'day' then (at_ms / 86400000 + 1) * 86400000
    else (extract(epoch from date_trunc('month', to_timestamp(at_ms / 1000) at time zone 'UTC')
      + interval '1 month') * 1000)::bigint
  end
$$`

/** A clock set back by up to 5 s goes on in the window it had reached, as in the other stores. */
const IS_CURRENT = sql`
create or replace function kernel_counters_is_current(
  ends_at bigint, unit text, length bigint, now_ms bigint
) returns boolean language sql immutable as $$
  select ends_at > now_ms and case unit
    when 'fixed' then ends_at <= now_ms + length + 5000
    else ends_at = kernel_counters_end_of(unit, length, now_ms)
      or ends_at = kernel_counters_end_of(unit, length, now_ms + 5000)
  end
$$`

/**
 * Many decisions in one round trip and one transaction, each as if it came alone. `names` are all counters, each once
 * and in the order of their bytes: their rows are locked in it before the first decision, so two batches cannot wait
 * for each other; the clock is read under the locks. A counter without a row gets one that is over already, to have
 * something to lock, in the same order; it goes again unless it was counted in. Rows are read and written once.
 *
 * The steps of all calls stand one after the other (`sizes` of each call), with the place of their counter in `names`;
 * each call is decided so many `times`. Answers one row for each time: `missing` is the number of the step whose
 * counter has to be seeded (0: none), `tried` how many steps there were up to a refusal, and for each step what its
 * counter says after them.
 *
 * By the index always: plans are made when the table is short, and kept while a thousand new keys make it long.
 */
const DECIDE_ALL = sql`
create or replace function kernel_counters_decide_all(
  names text[], sizes int[], times int[],
  places int[], units text[], lengths bigint[], amounts bigint[], limits bigint[],
  keeps boolean[], seeds boolean[], bound bigint[], offset_ms bigint
) returns table (call int, missing int, tried int, refused boolean, counts float8[], ends float8[],
  epochs float8[], now_ms float8)
language plpgsql set enable_seqscan = off as $$
declare
  v_count bigint;
  v_end bigint;
  v_epoch bigint;
  v_counts bigint[];
  v_ends bigint[];
  v_epochs bigint[];
  v_is_new boolean[] := array_fill(false, array[cardinality(names)]);
  v_is_written boolean[] := array_fill(false, array[cardinality(names)]);
  v_before bigint[];
  v_first int;
  v_last int := 0;
  v_at int;
  v_has_made boolean := false;
begin
  for n in 1 .. cardinality(names) loop
    loop
      select c.value, c.ends_at, c.epoch into v_count, v_end, v_epoch
        from kernel_counters c where c.name = names[n] for update;
      exit when found;
      insert into kernel_counters (name, value, ends_at) values (names[n], 0, 0)
        on conflict do nothing;
      v_has_made := true;
    end loop;
    v_counts[n] := v_count;
    v_ends[n] := v_end;
    v_epochs[n] := v_epoch;
  end loop;
  now_ms := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + offset_ms;

  for c in 1 .. cardinality(sizes) loop
    call := c;
    v_first := v_last + 1;
    v_last := v_last + sizes[c];
    for i in v_first .. v_last loop
      v_at := places[i];
      if v_is_new[v_at]
        or kernel_counters_is_current(v_ends[v_at], units[i], lengths[i], now_ms::bigint)
      then continue; end if;
      v_is_new[v_at] := true;
      v_counts[v_at] := 0;
      v_epochs[v_at] := 0;
      v_ends[v_at] := kernel_counters_end_of(units[i], lengths[i], now_ms::bigint);
    end loop;

    for turn in 1 .. times[c] loop
      v_before := v_counts;
      missing := 0;
      tried := 0;
      refused := false;
      for i in v_first .. v_last loop
        v_at := places[i];
        if seeds[i] and v_is_new[v_at] then
          missing := i - v_first + 1;
          exit;
        end if;
        tried := tried + 1;
        if bound[i] is null or bound[i] = v_epochs[v_at] then
          v_counts[v_at] := greatest(0, v_counts[v_at] + amounts[i]);
        end if;
        refused := coalesce(v_counts[v_at] > limits[i], false);
        exit when refused;
      end loop;
      if refused or missing > 0 then v_counts := v_before; end if;
      if missing = 0 then
        for i in v_first .. v_first + tried - 1 loop
          if refused and not keeps[i] then continue; end if;
          v_at := places[i];
          if refused and (bound[i] is null or bound[i] = v_epochs[v_at]) then
            v_counts[v_at] := greatest(0, v_counts[v_at] + amounts[i]);
          end if;
          v_is_written[v_at] := true;
          v_is_new[v_at] := false;
        end loop;
      end if;
      counts := null;
      ends := null;
      epochs := null;
      for i in v_first .. v_last loop
        v_at := places[i];
        counts[i - v_first + 1] := v_counts[v_at];
        ends[i - v_first + 1] := v_ends[v_at];
        epochs[i - v_first + 1] := v_epochs[v_at];
      end loop;
      return next;
    end loop;
  end loop;

  for n in 1 .. cardinality(names) loop
    if v_is_written[n] then
      update kernel_counters c set value = v_counts[n], ends_at = v_ends[n], epoch = v_epochs[n]
        where c.name = names[n];
    end if;
  end loop;
  if v_has_made then
    delete from kernel_counters c where c.name = any (names) and c.ends_at = 0;
  end if;
end
$$`
