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
  await DECIDE.execute(db)
  await DECIDE_ALL.execute(db)
}

/** The functions of versions before epochs. */
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
 * The same steps decided several times, one after the other; their rows are there and locked, and
 * written once. Answers one row for each time: `missing` is the number of the step whose counter has
 * to be seeded (0: none), `tried` how many steps there were up to a refusal. Counts are those of a
 * name's first step.
 */
const DECIDE = sql`
create or replace function kernel_counters_decide(
  names text[], units text[], lengths bigint[], amounts bigint[], limits bigint[],
  keeps boolean[], seeds boolean[], bound bigint[], times int, offset_ms bigint
) returns table (missing int, tried int, refused boolean, counts float8[], ends float8[],
  epochs float8[], now_ms float8)
language plpgsql as $$
declare
  v_steps int := cardinality(names);
  v_first int[];
  v_value bigint;
  v_ends_at bigint;
  v_epoch bigint;
  v_counts bigint[] := array_fill(0::bigint, array[v_steps]);
  v_before bigint[];
  v_ends bigint[] := array_fill(0::bigint, array[v_steps]);
  v_epochs bigint[] := array_fill(0::bigint, array[v_steps]);
  v_is_new boolean[] := array_fill(false, array[v_steps]);
  v_written boolean[] := array_fill(false, array[v_steps]);
  v_now bigint := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + offset_ms;
  v_at int;
begin
  for i in 1 .. v_steps loop
    v_first[i] := array_position(names, names[i]);
    if v_first[i] <> i then continue; end if;
    select c.value, c.ends_at, c.epoch into v_value, v_ends_at, v_epoch
      from kernel_counters c where c.name = names[i];
    if kernel_counters_is_current(v_ends_at, units[i], lengths[i], v_now) then
      v_counts[i] := v_value;
      v_ends[i] := v_ends_at;
      v_epochs[i] := v_epoch;
    else
      v_is_new[i] := true;
      v_ends[i] := kernel_counters_end_of(units[i], lengths[i], v_now);
    end if;
  end loop;

  for turn in 1 .. times loop
    v_before := v_counts;
    missing := 0;
    tried := 0;
    refused := false;
    for i in 1 .. v_steps loop
      v_at := v_first[i];
      if seeds[i] and v_is_new[v_at] then
        missing := i;
        exit;
      end if;
      tried := i;
      if bound[i] is null or bound[i] = v_epochs[v_at] then
        v_counts[v_at] := greatest(0, v_counts[v_at] + amounts[i]);
      end if;
      refused := coalesce(v_counts[v_at] > limits[i], false);
      exit when refused;
    end loop;
    if refused or missing > 0 then v_counts := v_before; end if;
    if missing = 0 then
      for i in 1 .. tried loop
        if refused and not keeps[i] then continue; end if;
        v_at := v_first[i];
        if refused and (bound[i] is null or bound[i] = v_epochs[v_at]) then
          v_counts[v_at] := greatest(0, v_counts[v_at] + amounts[i]);
        end if;
        v_written[v_at] := true;
        v_is_new[v_at] := false;
      end loop;
    end if;
    counts := v_counts;
    ends := v_ends;
    epochs := v_epochs;
    now_ms := v_now;
    return next;
  end loop;

  for i in 1 .. v_steps loop
    if v_written[i] then
      update kernel_counters c set value = v_counts[i], ends_at = v_ends[i], epoch = v_epochs[i]
        where c.name = names[i];
    end if;
  end loop;
end
$$`

/**
 * Many decisions in one round trip and one transaction, each as if it came alone. Before the first
 * one all rows are locked in the order of their names, so two batches cannot wait for each other;
 * the clock is read under the locks. A counter without a row gets one that is over already, to have
 * something to lock, in the same order; it goes again unless it was counted in.
 */
const DECIDE_ALL = sql`
create or replace function kernel_counters_decide_all(calls jsonb, offset_ms bigint)
returns table (call int, missing int, tried int, refused boolean, counts float8[], ends float8[],
  epochs float8[], now_ms float8)
language plpgsql as $$
declare
  v_names text[] := array(
    select distinct jsonb_array_elements_text(e -> 'names') collate "C" as n
    from jsonb_array_elements(calls) e order by n);
  v_name text;
  v_call jsonb;
  v_at int := 0;
begin
  foreach v_name in array v_names loop
    loop
      perform 1 from kernel_counters c where c.name = v_name for update;
      exit when found;
      insert into kernel_counters (name, value, ends_at) values (v_name, 0, 0)
        on conflict do nothing;
    end loop;
  end loop;
  for v_call in select e from jsonb_array_elements(calls) e loop
    v_at := v_at + 1;
    return query select v_at, d.* from kernel_counters_decide(
      array(select jsonb_array_elements_text(v_call -> 'names')),
      array(select jsonb_array_elements_text(v_call -> 'units')),
      array(select jsonb_array_elements_text(v_call -> 'lengths')::bigint),
      array(select jsonb_array_elements_text(v_call -> 'amounts')::bigint),
      array(select jsonb_array_elements_text(v_call -> 'limits')::bigint),
      array(select jsonb_array_elements_text(v_call -> 'keeps')::boolean),
      array(select jsonb_array_elements_text(v_call -> 'seeds')::boolean),
      array(select jsonb_array_elements_text(v_call -> 'bound')::bigint),
      (v_call ->> 'times')::int, offset_ms) d;
  end loop;
  delete from kernel_counters c where c.name = any (v_names) and c.ends_at = 0;
end
$$`
