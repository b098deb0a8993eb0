import { type Kysely, sql } from 'kysely'

export interface CountersTables {
  kernel_counters: { name: string; value: number; ends_at: number }
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
    create index if not exists kernel_counters_ends_at on kernel_counters (ends_at)`.execute(db)
  await END_OF.execute(db)
  await IS_CURRENT.execute(db)
  await ADD.execute(db)
  await ADD_MANY.execute(db)
}

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
 * One decision over all steps, whose rows are there and locked. Answers one row per tried step; a
 * row without `allowed` names the missing counter.
 */
const ADD = sql`
create or replace function kernel_counters_add(
  names text[], units text[], lengths bigint[], amounts bigint[], limits bigint[],
  keeps boolean[], seeds boolean[], offset_ms bigint
) returns table (allowed boolean, count float8, end_ms float8, now_ms float8)
language plpgsql as $$
declare
  v_value bigint;
  v_ends_at bigint;
  v_before bigint[] := array_fill(0::bigint, array[cardinality(names)]);
  v_counts bigint[];
  v_ends bigint[] := array_fill(0::bigint, array[cardinality(names)]);
  v_is_new boolean[];
  v_written boolean[] := array_fill(false, array[cardinality(names)]);
  v_now bigint;
  v_at int;
  v_tried int := 0;
  v_refused boolean := false;
begin
  v_now := floor(extract(epoch from clock_timestamp()) * 1000)::bigint + offset_ms;
  for i in 1 .. cardinality(names) loop
    if array_position(names, names[i]) <> i then continue; end if;
    select c.value, c.ends_at into v_value, v_ends_at
      from kernel_counters c where c.name = names[i];
    v_before[i] := v_value;
    v_ends[i] := v_ends_at;
    v_is_new[i] := not kernel_counters_is_current(v_ends[i], units[i], lengths[i], v_now);
    if v_is_new[i] then
      v_before[i] := 0;
      v_ends[i] := kernel_counters_end_of(units[i], lengths[i], v_now);
    end if;
  end loop;
  v_counts := v_before;

  for i in 1 .. cardinality(names) loop
    v_at := array_position(names, names[i]);
    if seeds[i] and v_is_new[v_at] then
      return query select null::boolean, i::float8, 0::float8, v_now::float8;
      return;
    end if;
    v_tried := i;
    v_counts[v_at] := greatest(0, v_counts[v_at] + amounts[i]);
    v_refused := coalesce(v_counts[v_at] > limits[i], false);
    exit when v_refused;
  end loop;

  if v_refused then v_counts := v_before; end if;
  for i in 1 .. v_tried loop
    v_at := array_position(names, names[i]);
    if v_refused and keeps[i] then
      v_counts[v_at] := greatest(0, v_counts[v_at] + amounts[i]);
    end if;
    v_written[v_at] := v_written[v_at] or keeps[i] or not v_refused;
  end loop;
  for i in 1 .. v_tried loop
    if v_written[i] then
      update kernel_counters c set value = v_counts[i], ends_at = v_ends[i] where c.name = names[i];
    end if;
  end loop;
  for i in 1 .. v_tried loop
    v_at := array_position(names, names[i]);
    return query select not (v_refused and i = v_tried), v_counts[v_at]::float8,
      v_ends[v_at]::float8, v_now::float8;
  end loop;
end
$$`

/**
 * Many decisions in one round trip and one transaction, each as if it came alone. Before the first
 * one all rows are locked in the order of their names, so two batches cannot wait for each other;
 * the clock is read under the locks. A counter without a row gets one that is over already, to have
 * something to lock, in the same order; it goes again unless it was counted in.
 */
const ADD_MANY = sql`
create or replace function kernel_counters_add_many(calls jsonb, offset_ms bigint)
returns table (call int, allowed boolean, count float8, end_ms float8, now_ms float8)
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
    return query select v_at, a.* from kernel_counters_add(
      array(select jsonb_array_elements_text(v_call -> 'names')),
      array(select jsonb_array_elements_text(v_call -> 'units')),
      array(select jsonb_array_elements_text(v_call -> 'lengths')::bigint),
      array(select jsonb_array_elements_text(v_call -> 'amounts')::bigint),
      array(select jsonb_array_elements_text(v_call -> 'limits')::bigint),
      array(select jsonb_array_elements_text(v_call -> 'keeps')::boolean),
      array(select jsonb_array_elements_text(v_call -> 'seeds')::boolean),
      offset_ms) a;
  end loop;
  delete from kernel_counters c where c.name = any (v_names) and c.ends_at = 0;
end
$$`
