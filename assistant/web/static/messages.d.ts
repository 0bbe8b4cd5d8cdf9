// Generated from messages/ and commands.py by `python -m assistant.web.typescript`; edit those instead.

/** The table and the game on it; the only key is ``table``. */
export interface TableView {
  width_mm: number;
  depth_mm: number;
  /** Its id. */
  rulebook: string;
  /** As people call it. */
  rulebook_title: string;
  title: string;
  /** Models can be dragged with ``drag``, because the table is rendered. */
  virtual: boolean;
  /** A recorded game is being played; nothing can be declared. */
  replay: boolean;
  /** The rulebook's words for a unit's status that a person may set. */
  statuses: Array<string>;
  /** What lengths are said in. */
  unit: "in" | "cm";
}

/** The source of the pictures; the only key is ``camera``. */
export interface CameraView {
  source: string;
  state: "starting" | "live" | "lost" | "ended";
  text: string;
  anchors_seen: number;
  fps: number;
  /** From capture to this message. */
  latency_ms: number;
  /** The game goes on without being recorded; the text says why. */
  unrecorded: boolean;
}

/** How a style is drawn, by style name; both pages have a dark ground. */
export interface PaintView {
  /** A CSS colour. */
  stroke: string;
  /** A CSS colour, or empty. */
  fill: string;
  width_mm: number;
  dash_mm: Array<number>;
  /** Lines across an area, in the colour of the stroke. */
  hatch: "" | "rising" | "falling" | "cross";
}

/** A set of paints that a page may show in place of the ``palette``, by name. */
export interface PaletteView {
  label: string;
  paints: Record<string, PaintView>;
}

/** A terrain feature, by id. */
export interface TerrainView {
  outline_mm: Array<[number, number]>;
  height_mm: number;
  traits: Array<string>;
  /** What it is drawn as: ``terrain-KIND`` in the palette. */
  kind: string;
  /** The feature that it is a part of, by the id of its footprint. */
  of: string;
}

/** A marked piece of terrain, by id, that was seen to lie elsewhere than the game has it. */
export interface ShiftedView {
  /** How far it was moved, as a sentence. */
  text: string;
}

/** A unit, by id. */
export interface UnitView {
  player: string;
  /** 0 for the first player in the game, 1 for the second, ...: picks the colour. */
  side: number;
  models: Array<string>;
  keywords: Array<string>;
  status: Array<string>;
  /** Its models that are not on the table. */
  off: Array<string>;
  /** The labels of what it may still do; empty while nobody counts turns. */
  may: Array<string>;
  /** What people call it; empty where its id says it. */
  name: string;
  /** What sentences are to call it and its models, by the ids that are said; whose id says it is left out. */
  names: Record<string, string>;
}

/** A base's outline in the model's own frame (+x is its front); exactly one key is given. */
export interface BaseSpec {
  /** diameter */
  round_mm: number | null;
  /** length along the model's +x, width */
  oval_mm: [number, number] | null;
  /** length along the model's +x, width */
  rect_mm: [number, number] | null;
  /** a simple polygon, for models without a base */
  outline_mm: Array<[number, number]> | null;
}

/** A model as it stands now, by id. */
export interface ModelView {
  unit: string;
  base: BaseSpec;
  x_mm: number;
  y_mm: number;
  facing_deg: number;
  z_mm: number;
  sigma_mm: number;
  /** ``unseen``: the camera has not found it yet; its place is the situation's. */
  state: "seen" | "held" | "lifted" | "lost" | "unseen";
  moving: boolean;
  /** Held for so short a time that it is shown as if it were seen. */
  just_hidden: boolean;
}

/** What a person should know of what the camera sees, by what it is about. */
export interface NoticeView {
  /** A sentence. */
  text: string;
}

/** Why the camera does not find a model's marker, by model id. */
export interface HindranceView {
  hindrance: "too-dark" | "glare" | "blurred" | "moving-too-fast" | "covered" | "print-damaged" | "other-size" | "above-table" | "too-small" | "out-of-picture";
  /** In a word or two, for beside the model. */
  short: string;
  /** What follows the model's name in a sentence, and what to do about it. */
  text: string;
  x_share: number | null;
  /** Where it is in the camera's picture, as shares of the width and height; None where nobody knows. */
  y_share: number | null;
}

/** An action that the picked unit may or may not choose, by action id. */
export interface ActionView {
  label: string;
  /** How many dice it needs. */
  dice: number;
  /** How many it may take, where the move itself decides that. */
  most: number;
  sides: number;
  allowed: boolean;
  /** Sentences that say why not. */
  because: Array<string>;
  limit_mm: number | null;
  /** Why a model may go that far, where there is more than one answer. */
  reason: string;
  /** It puts models on the table. */
  sets_up: boolean;
  /** The fields of a move that may say what it means to do, by name. */
  takes: Array<string>;
}

/** What the announced move may say that it means to do, by the field's name. */
export interface FieldView {
  label: string;
  statement: string;
  /** True or false, one of what is offered, or any of it. */
  kind: "flag" | "one" | "several";
  /** The likeliest first, whatever is chosen among them; empty for a flag. */
  offered: Array<string>;
  /** What is said so far; None while nothing is. */
  value: string | boolean | Array<string> | null;
}

/** What is being done now; the only key is ``move``. */
export interface MoveView {
  unit: string | null;
  /** The model whose zone is shown. */
  model: string | null;
  action: string | null;
  rolls: Array<number>;
  /** How many dice the move's own tests take; they may be entered, or rolled elsewhere. */
  tests: number;
  /** How many models the failed tests cost. */
  costs: number;
  /** The models chosen for that. */
  lost: Array<string>;
  /** The rulebook's fields of the move. */
  intent: Record<string, string | boolean | Array<string>>;
  /** The unit whose move is announced, whichever is looked at here: another one than ``unit`` has no action. */
  announced: string | null;
  /** How far a model goes within the zone that is drawn; None where none is, or where that has no meaning. */
  limit_mm: number | null;
  /** Models that stand elsewhere than where they were last accepted. */
  moved: Array<string>;
  /** Models among them that are to be put back there. */
  returning: Array<string>;
  /** The verdict on what stands now, as people have ruled; None while nothing can be judged. */
  outcome: "legal" | "illegal" | "too-close" | "unobserved" | null;
  /** A sentence for the player when something is missing, such as a die; empty otherwise. */
  note: string;
  /** Something that was decided may be taken back. */
  can_undo: boolean;
  /** How often people have decided something, taking back included: what a page shows is about the game after that. */
  decided: number;
  /** The players of whom ``go-on`` names the one that goes first in the next turn; empty where it names none. */
  contenders: Array<string>;
}

/** Whose turn it is; the only key is ``turn``, which is missing while nobody keeps count. */
export interface TurnView {
  number: number;
  /** In which every player has one turn. */
  round: number;
  player: string;
  /** In words. */
  step: string;
  /** What ``go-on`` begins, in words; empty where it has to be said first who goes. */
  following: string;
  /** So many make up the game; None while nobody has said how many. */
  rounds: number | null;
  /** The game ends with it. */
  last: boolean;
  /** The units that have acted in this turn. */
  done: Array<string>;
}

/** What is said of a player beside the moves, by player. */
export interface ScoreView {
  /** As of the player's units. */
  side: number;
  points: number;
  /** What it is called; empty while nobody has said it. */
  army: string;
}

/** How long the game has been played; the only key is ``clock``, missing before anything has happened. */
export interface ClockView {
  played_s: number;
  /** For how long the turn has been going on; None while nobody keeps count of turns. */
  turn_s: number | null;
  /** For how long each player has had the turn, by player; empty while nobody keeps count. */
  turns_s: Record<string, number>;
}

/** A finding of the verdict, by its place in the verdict; the witness is among the shapes. */
export interface FindingView {
  rule: string;
  outcome: "legal" | "illegal" | "too-close" | "unobserved" | "note";
  subjects: Array<string>;
  measured_mm: number | null;
  limit_mm: number | null;
  margin_mm: number | null;
  sigma_mm: number | null;
  p_legal: number | null;
  text: string;
  /** The rule in its rulebook's words; empty where it has none. */
  rule_text: string;
}

/** What people decided of the move that is being made, by its place among such. */
export interface RulingView {
  by: "players" | "judge";
  /** ``again``: the move is made again from where it began. */
  outcome: "legal" | "illegal" | "again";
  note: string;
  /** The finding that it is about, by its rule and its subjects; None for the verdict as a whole. */
  rule: string | null;
  subjects: Array<string>;
  /** The length that was agreed on in place of the measured one. */
  agreed_mm: number | null;
  /** The outcome that the referee had given. */
  referee: string;
  /** What the referee had said of it. */
  text: string;
}

/** What the move costs or brings, by its place in the verdict. */
export interface EffectView {
  rule: string;
  text: string;
  /** The rule in its rulebook's words; empty where it has none. */
  rule_text: string;
}

/** Something to draw on the table, by key. */
export interface ShapeView {
  layer: "deployment" | "objective" | "laying" | "zone" | "threat" | "engagement" | "coherency" | "named" | "break" | "ghost" | "path" | "way" | "restore" | "stop" | "witness" | "tape";
  rings_mm: Array<Array<[number, number]>>;
  closed: boolean;
  style: string;
  label: string;
  /** The model in whose frame the rings are, so that they go along with it; None: the table's. */
  on: string | null;
}

/** Where a model may go, by its id, told before anybody picks it; what is picked is among the shapes. */
export interface AheadView {
  /** As of the move. */
  limit_mm: number | null;
  /** Its zone and bands. */
  shapes: Array<ShapeView>;
}

/** What the script of a demo shows now; the only key is ``scene``, which is missing while nothing is told of it. */
export interface SceneView {
  number: number;
  count: number;
  caption: string;
  /** What the referee says of it; None before the models rest. */
  outcome: "legal" | "illegal" | "too-close" | "unobserved" | null;
  /** The finding that decides it; empty if none does. */
  ruling: string;
  /** False once the script is over: the caption then says that the table is the visitor's. */
  playing: boolean;
}

/** Where a model's tag is in its base, and how surely that is known. */
export interface TagView {
  tag: number;
  /** Edge of its black square. */
  size_mm: number;
  x_mm: number;
  y_mm: number;
  /** In the base's frame, whose x is the model's front. */
  facing_deg: number;
  /** One standard deviation of its place; 0 where nobody measured it. */
  sigma_mm: number;
  sigma_deg: number;
  height_mm: number;
  height_sigma_mm: number;
}

/** A model's ring, and how surely it is known how it lies in its base. */
export interface RingView {
  ring: number;
  kind: "halo" | "rim";
  /** One standard deviation of its place; 0 where nobody said. */
  sigma_mm: number;
  sigma_deg: number;
  /** Of the base. */
  height_mm: number;
}

/** A model that has a marker or may get one, by id; with neither tag nor ring it is not enrolled. */
export interface EnrolledView {
  base: BaseSpec;
  tag: TagView | null;
  ring: RingView | null;
}

/** An enrolment under way; the only key is ``enrolling``, which is missing while there is none. */
export interface EnrollingView {
  model: string;
  base: BaseSpec;
  /** As the sheet calls it. */
  base_name: string;
  way: "sheet" | "turn" | "halo" | "rim";
  /** What a person is to do next. */
  step: "sheet" | "model" | "hand" | "front" | "turning" | "show" | "measured";
  /** What is in the way, in a sentence; empty if nothing is. */
  note: string;
  /** How often the model was measured on the sheet. */
  places: number;
  /** How much of a turn was seen. */
  turned_deg: number;
  found: TagView | null;
  /** The ring that was shown. */
  ring: RingView | null;
  /** What would make it surer. */
  advice: string;
  /** What was found has been written to the set-up. */
  kept: boolean;
}

/** A marker that lies on a tray. */
export interface TrayMarkerView {
  /** Its number among all markers. */
  marker: number;
  /** As people call it, such as ``ring 17``. */
  name: string;
  /** Its middle in the picture, in shares of its width and height. */
  at: [number, number];
  /** Which it becomes; None for nobody. */
  model: string | null;
  /** The models that it may become. */
  choices: Array<string>;
}

/** A tray that is being enrolled; the only key is ``tray``, which is missing while there is none. */
export interface TrayView {
  way: "halo" | "rim" | "tag";
  /** Of which the models are; None for all. */
  unit: string | null;
  /** What is in the way or left out, in a sentence; empty if nothing is. */
  note: string;
  /** Whether the tray has been read: only people change anything from then on. */
  read: boolean;
  /** In reading order. */
  markers: Array<TrayMarkerView>;
  /** It has been written to the set-up. */
  kept: boolean;
}

/** A view of the board that was taken. */
export interface LensShotView {
  number: number;
  /** The board's corners in the picture. */
  outline_px: Array<[number, number]>;
  /** False where it did not fit the others. */
  counts: boolean;
}

/** Something that views are counted by. */
export interface LensNeedView {
  label: string;
  have: number;
  need: number;
}

/** The lens that the views come to, and how surely. */
export interface LensFoundView {
  views: number;
  focal_px: number;
  /** One standard deviation. */
  focal_sigma_px: number;
  middle_px: [number, number];
  middle_sigma_px: number;
  /** In the views of the fit. */
  rms_px: number;
  /** In views that a fit had not seen. */
  held_out_px: number;
  /** The error to expect on the table, root mean square. */
  typical_mm: number;
  /** The same where it is worst. */
  worst_mm: number;
  verdict: "good" | "usable" | "poor";
  /** Sentences that say why; the weakest side first. */
  reasons: Array<string>;
  /** The views that the fit does without, each with its reason. */
  dropped: Array<string>;
}

/** The calibration of the lens; the only key is ``lens``, which is missing where none can be made. */
export interface LensView {
  /** As it was named; empty while no calibration is under way. */
  board: string;
  /** Boards whose calibration was left, and can be gone on with. */
  left: Array<string>;
  /** A helper holds the board. */
  virtual: boolean;
  width_px: number;
  /** Of the picture that all pixels are of; 0 before the first. */
  height_px: number;
  step: "begin" | "taking" | "enough" | "kept";
  /** How to hold the board for the next view, in a sentence. */
  ask: string;
  /** Where its corners would be, from the upper left clockwise. */
  target_px: Array<[number, number]>;
  /** The edge that would be nearer to the camera; None where its face is straight to it. */
  nearer: "left" | "right" | "upper" | "lower" | null;
  shots: Array<LensShotView>;
  columns: number;
  rows: number;
  /** Each part of the picture, row by row. */
  covered: Array<boolean>;
  needs: Array<LensNeedView>;
  found: LensFoundView | null;
  /** The last views are still being worked out. */
  working: boolean;
  /** Why the views come to no lens, in a sentence; empty if they do. */
  trouble: string;
  /** What became of the lens, in a sentence. */
  kept: string;
}

/** The board as it is seen now; the only key is ``board``. */
export interface SightingView {
  corners_px: Array<[number, number]>;
  /** Why no view is taken now, in a sentence; empty if nothing is in the way. */
  note: string;
}

/** A tag of light: whole cells on whole pixels of the projector's picture. */
export interface ThrownView {
  left_px: number;
  /** Of its white rim's top left pixel. */
  top_px: number;
  cell_px: number;
  /** Its white cells, a row each from the top: the lowest bit is the rightmost cell. */
  rows: Array<number>;
}

/** What the projector page shows instead of the game, while the projector is being calibrated. */
export interface PatternView {
  /** The page that is meant. */
  image_size: [number, number];
  /** Grey level of the light. */
  level: number;
  /** None: darkness. */
  tags: Array<ThrownView>;
}

/** Which pixel of the projector lights which place on the table. */
export interface WarpView {
  /** It holds for a page of this size only. */
  image_size: [number, number];
  /** Nine numbers, row by row: from (x_mm, y_mm, 1) to pixels, before the lens distorts. */
  homography: Array<number>;
  centre_px: [number, number];
  /** The unit in which the distortion counts distances from the centre. */
  radius_px: number;
  /** k1, k2, p1, p2. */
  distortion: [number, number, number, number];
}

/** How well the light is known to land, from tags held out of the fit. */
export interface LightErrorView {
  mean_mm: number;
  worst_mm: number;
  worst_at_mm: [number, number];
  tags: number;
  /** Standard deviation of the fit where on the table it is largest, far from all tags. */
  doubt_mm: number;
  doubt_at_mm: [number, number];
  camera_sigma_mm: number;
  lens: string;
}

/** By how much a person has moved the light. */
export interface NudgeView {
  x_mm: number;
  y_mm: number;
  turn_deg: number;
  scale: number;
  can_undo: boolean;
}

/** The projector; the only key is ``projector``, which is missing where nobody can calibrate one. */
export interface ProjectorView {
  /** Of the projector page that spoke last, in the screen's own pixels. */
  page_size: [number, number] | null;
  /** Of the calibration under way; None while there is none. */
  step: "page" | "dark" | "first" | "second" | "measured" | null;
  /** How far it is, or what is in the way; without a calibration under way, what a person should know of the light. */
  note: string;
  pattern: PatternView | null;
  /** None: the page fits the table into its window. */
  warp: WarpView | null;
  /** Of the calibration that was measured or is in use. */
  error: LightErrorView | null;
  /** The page lights the edges of the table and of every anchor, so that a person sees how well light lands. */
  checking: boolean;
  nudge: NudgeView | null;
  /** Outlines of the tags that are fixed on the table: nothing may shine there. */
  dark_mm: Array<Array<[number, number]>>;
  /** By model: how far its halo reaches beyond its base, of those that have one; nothing may shine there either. */
  halos_mm: Record<string, number>;
}

/** A camera that was found. */
export interface SourceView {
  /** As a set-up names it. */
  spec: string;
  name: string;
}

/** An anchor that is to lie on the table. */
export interface AnchorView {
  tag: number;
  /** ``measured``, a corner such as ``near-left``, or ``anywhere``. */
  lay: string;
  x_mm: number | null;
  /** Where it is said to lie; None where that is not said. */
  y_mm: number | null;
  turn_deg: number;
  /** How far it is seen from there; None while it is not seen. */
  off_mm: number | null;
  /** Where it is in the picture, in shares of its width and height; empty while it is not seen. */
  corners: Array<[number, number]>;
  /** Where its middle would be if it lay where it is said to. */
  expected: [number, number] | null;
  /** The others contradict it, so it is not used. */
  left_out: boolean;
}

/** A game that may be taken as it is. */
export interface OfferView {
  rulebook: string;
  /** The rulebook's, as people say it. */
  title: string;
  width_mm: number;
  depth_mm: number;
  models: number;
}

/** A layout that may be laid on a table of this size; its picture is ``/layouts/NAME.svg``. */
export interface LayoutOfferView {
  name: string;
  title: string;
  /** For whose games it was made; empty for any. */
  rulebook: string;
  credit: string;
  objectives: number;
}

/** One of the markers that a kind of base may carry. */
export interface MarkerOptionView {
  kind: "halo" | "rim" | "tag";
  /** Whether the camera reads it all over the table. */
  readable: boolean;
  /** How large it is in the picture, or what is wrong with it, in a sentence. */
  text: string;
}

/** Models whose bases are alike and are marked alike. */
export interface BaseKindView {
  /** By which entries name it, such as ``marker.round:32``. */
  key: string;
  /** As people say it. */
  name: string;
  models: number;
  /** As people call them. */
  units: Array<string>;
  chosen: "halo" | "rim" | "tag";
  /** What is recommended. */
  best: "halo" | "rim" | "tag";
  /** Why, in a sentence. */
  why: string;
  options: Array<MarkerOptionView>;
  /** Whether it is to be entered how high above the table the tag is: it is on a roof. */
  high: boolean;
}

/** The marker of a model. */
export interface MarkerOfView {
  model: string;
  /** As people call the model. */
  name: string;
  unit: string;
  /** As people say it. */
  base: string;
  /** Which, and how large or of which kind, such as ``tag 5 of 16 mm``. */
  marker: string;
  /** Whether it is known where the marker is in the base; a model of which it is not known is not looked for. */
  known: "no" | "roughly" | "measured";
  /** Whether the camera has found it. */
  read: boolean;
  /** Why it may not be read, and what to do; empty where nothing is to be said. */
  advice: string;
}

/** A recorded game that can be gone on with. */
export interface EarlierGameView {
  /** The file's name. */
  recording: string;
  title: string;
  /** When something was last written to it, in seconds since 1970. */
  ended_s: number;
}

/** The tournament's hall that a table belongs to. */
export interface TournamentView {
  event: string;
  table: string;
}

/** The set-up under way; the only key is ``setup``. */
export interface SetupView {
  folder: string;
  /** What was entered, by name, as it was entered; an entry that is missing has its usual value. */
  entries: Record<string, string>;
  /** What is wrong with an entry, in a sentence, by its name. */
  wrong: Record<string, string>;
  /** None where the system does not tell which cameras there are. */
  sources: Array<SourceView> | null;
  virtual: boolean;
  anchors: Array<AnchorView>;
  /** Why it is not known where anchors lie; empty while it is. */
  unplaced: string;
  offers: Array<OfferView>;
  /** Those for a table of this size; the chosen one is the entry ``layout``, which is empty for a bare table. */
  layouts: Array<LayoutOfferView>;
  kinds: Array<BaseKindView>;
  /** Those with advice first. */
  markers: Array<MarkerOfView>;
  /** What keeps a game from being begun, a sentence each. */
  hindered: Array<string>;
  /** The file of the game that is played; empty while none is. */
  recording: string;
  /** Those of the game that is chosen, the latest first. */
  earlier: Array<EarlierGameView>;
  /** None where the table is one of its own. */
  tournament: TournamentView | null;
}

/** A step of the set-up, by its name; in the order in which they are taken. */
export interface StepView {
  title: string;
  state: "todo" | "good" | "weak" | "bad";
  /** A sentence: what is good, what is not, what to do. */
  text: string;
}

/** A rulebook to choose. */
export interface RulebookView {
  id: string;
  title: string;
}

/** A profile key of the rulebook, as a column of the table. */
export interface ColumnView {
  key: string;
  label: string;
  /** ``in`` or ``cm``; empty where it has none. */
  unit: string;
  /** What it may be; empty where anything may be entered. */
  choices: Array<string>;
  statement: string;
}

/** What all armies have in common; the only key is ``armies``, which is missing where none are entered. */
export interface ArmiesView {
  rulebook: string;
  rulebooks: Array<RulebookView>;
  columns: Array<ColumnView>;
  /** Common bases, to choose from. */
  bases: Array<string>;
  /** The armies' keys, in order. */
  forces: Array<string>;
  /** The situation that is played in place of the armies, as its file is called; empty if none is. */
  taken: string;
  /** What was dropped last and can be brought back, in a few words; empty if nothing was. */
  undo: string;
  state: "todo" | "good" | "weak" | "bad";
  /** Why, in a sentence. */
  text: string;
}

/** What is wrong with a unit. */
export interface ProblemView {
  /** The column; empty for the whole. */
  field: string;
  /** A sentence. */
  text: string;
}

/** A unit as it was entered. */
export interface ArmyRowView {
  key: number;
  /** The roster's line that it was read from; empty if it was entered by itself. */
  line: string;
  name: string;
  count: string;
  base: string;
  /** By profile key; what was not entered is left out. */
  profile: Record<string, string>;
  keywords: string;
  status: string;
  /** The unit that its models belong to, where that is not theirs alone. */
  part_of: string;
  /** What its models will be called, and their base, such as ``scouts-1 to scouts-5, round 32 mm``; empty while something is wrong. */
  ids: string;
  problems: Array<ProblemView>;
  /** Where its base or its move comes from, until somebody agrees to it; empty where nothing is guessed. */
  guess: string;
  /** What of its line was not understood, in a sentence; empty if all was. */
  note: string;
}

/** Lines of a roster that are no units, those of one unit together, and why they are passed over. */
export interface PassedView {
  /** Empty where the reason names them. */
  lines: Array<string>;
  note: string;
}

/** One player's army, by key. */
export interface ForceView {
  player: string;
  /** The roster as it was entered. */
  text: string;
  rows: Array<ArmyRowView>;
  passed: Array<PassedView>;
  /** Other players whom headings in it name, who may have armies of their own. */
  others: Array<string>;
}

/** A part of a piece, or its footprint. */
export interface LayoutPartView {
  outline_mm: Array<[number, number]>;
  /** A CSS colour, and so is the line. */
  fill: string;
  line: string;
}

/** A terrain feature on a layout that is being made. */
export interface LayoutPieceView {
  id: string;
  /** Of the piece that is written; that of its twin is another. */
  own: string;
  /** Its template, or ``outline``. */
  kind: string;
  /** What an outline is; empty where nobody said it. */
  made_of: string;
  /** Of the piece that is written. */
  facing_deg: number;
  height_mm: number;
  /** The footprint first; table frame. */
  parts: Array<LayoutPartView>;
}

/** An objective on a layout that is being made. */
export interface LayoutMarkerView {
  id: string;
  own: string;
  x_mm: number;
  y_mm: number;
  radius_mm: number;
  range_mm: number | null;
}

/** A deployment zone. */
export interface LayoutZoneView {
  /** From 1. */
  side: number;
  outline_mm: Array<[number, number]>;
}

/** A piece that can be put on the table. */
export interface LayoutTemplateView {
  name: string;
  title: string;
  /** In its own frame. */
  parts: Array<LayoutPartView>;
}

/** A layout that is being made; the only key is ``layout``, which is missing while none is open. */
export interface LayoutEditorView {
  title: string;
  width_mm: number;
  depth_mm: number;
  symmetry: "half-turn" | "left-right" | "near-far" | "none";
  pieces: Array<LayoutPieceView>;
  markers: Array<LayoutMarkerView>;
  zones: Array<LayoutZoneView>;
  templates: Array<LayoutTemplateView>;
  /** What an outline may be. */
  kinds: Array<string>;
  /** What would keep two players from a fair game on it, a sentence each. */
  faults: Array<string>;
  /** What was added last; empty if nothing was. */
  selected: string;
  /** By which name it is kept as it is now; empty if it is not. */
  saved: string;
  can_undo: boolean;
  can_redo: boolean;
}

/** The call that somebody showed last; the only key is ``call``, missing while nobody has shown one. */
export interface ShownCallView {
  /** From 1, in the order in which calls were shown. */
  number: number;
  rule: string;
  subjects: Array<string>;
  /** Of which moment it is, since the game's beginning; None where nothing is recorded. */
  at_ns: number | null;
  /** It is of a moment that was past when it was shown: the finding need not be among those of now. */
  past: boolean;
}

/** That a judge is asked for; the only key is ``judge``, missing while none is. */
export interface SummonsView {
  /** A sentence on what is in doubt; empty if nobody said. */
  about: string;
  /** When, in seconds since 1970 by the table's clock. */
  since_s: number;
}

/** How sharp a place of the picture is. */
export interface SpotView {
  x_px: number;
  /** In the camera's own picture. */
  y_px: number;
  /** One standard deviation. */
  blur_px: number;
}

/** One side of the picture. */
export interface RemarkView {
  about: "focus" | "light" | "noise" | "flicker" | "shake";
  grade: "good" | "weak" | "bad";
  /** How it is. */
  text: string;
  /** What to do about it; empty where all is well. */
  advice: string;
}

/** Focus and exposure; the only key is ``optics``, which is missing where no camera can be looked at. */
export interface OpticsView {
  width_px: number;
  /** Of the camera's own picture; 0 before the first. */
  height_px: number;
  /** None before the first look, and where there are no edges. */
  blur_px: number | null;
  /** The least since the page was opened, or since somebody began anew. */
  best_px: number | null;
  /** What it should be below. */
  good_px: number;
  /** Grey level of the white of tags, of 255. */
  white: number | null;
  /** Share of the picture that is as good as white. */
  burnt: number | null;
  sharpest: SpotView | null;
  softest: SpotView | null;
  /** The weakest first. */
  remarks: Array<RemarkView>;
  /** The camera tells its focus and may let it be set. */
  can_focus: boolean;
  can_expose: boolean;
  focus: number | null;
  /** In the driver's own steps. */
  exposure: number | null;
  /** Neither changes by itself. */
  locked: boolean;
  /** What became of the last thing that was asked of the camera, in a sentence; empty if nothing was. */
  note: string;
  state: "todo" | "good" | "weak" | "bad";
  /** How it is as a whole, in a sentence. */
  text: string;
}

/** A better lens that tags at rest tell of; the only key is ``lens``, missing where none is offered. */
export interface RefinementView {
  /** How much better it is, or what became of it. */
  text: string;
  /** It waits for a yes or a no. */
  offered: boolean;
}

/** What the page that reads this may do; the only key is ``you``. It holds for as long as the page is connected. */
export interface YouView {
  role: "host" | "judge" | "player" | "viewer";
}

/** How far a model has come of what it may, by model id: the judge's own number. */
export interface WayView {
  outcome: "legal" | "illegal" | "too-close" | "unobserved" | "note";
  measured_mm: number;
  limit_mm: number;
  /** One standard deviation; None where the doubt is not one of length. */
  sigma_mm: number | null;
  /** It has not come to rest yet. */
  moving: boolean;
}

/** What may be measured; the only key is ``measuring``, which is missing where nothing can be. */
export interface MeasuringView {
  /** Players may measure at any time. */
  allowed: boolean;
  /** A sentence that says by what, or by what not. */
  note: string;
  /** A house rule says so, which players may change. */
  agreed: boolean;
}

/** A piece of terrain, or a marker, that is to be laid. */
export interface LayingStepView {
  id: string;
  /** In the order of laying, from 1. */
  number: number;
  /** What it covers on the table, first, and what stands on it; table frame. */
  outlines_mm: Array<Array<[number, number]>>;
  lies: boolean;
  /** How far off, or how much too high, the camera sees a marked piece, or that it does not see the mark. */
  note: string;
  /** What is said to lie on it, such as ``tag 540``; empty for nothing. */
  mark: string;
  /** If it lies where it belongs for all that, ``lay-learn`` says so. */
  learns: boolean;
}

/** A table that is being laid; the only key is ``laying``, which is missing while none is. */
export interface LayingView {
  steps: Array<LayingStepView>;
  /** The step that comes next; None when all lies. */
  following: string | null;
  /** ``lay-mark`` may say which mark lies on a piece. */
  marks: boolean;
}

/** A length that somebody measures, by its number. */
export interface TapeView {
  /** The names of the two things. */
  ends: [string, string];
  /** Edge to edge; the depth, negative, where they overlap; None while one of them is not on the table. */
  mm: number | null;
  sigma_mm: number;
  /** The two stand at different heights, of which the length tells nothing. */
  horizontal: boolean;
  /** Why it cannot be measured now, in a sentence; empty if it can. */
  note: string;
}

/** What a unit may come to threaten, by unit id; what is drawn is among the shapes. */
export interface ThreatView {
  /** What is shown; empty before it is known. */
  text: string;
  /** What it leaves aside, in a sentence; empty if nothing. */
  note: string;
  /** How far a person said that it can strike; None for the range of engagement. */
  range_mm: number | null;
  /** It is being worked out anew. */
  working: boolean;
}

/** How a kind of light looks on the mat. */
export interface LightSampleView {
  label: string;
  /** A CSS colour, as it is seen there in the pages' own colours. */
  usual: string;
  /** As it is seen in the colours that are thrown. */
  seen: string;
}

/** How the light is set; the only key is ``lights``, which is missing where nobody can set it. */
export interface LightsView {
  /** From 0.2 to 1: share of the projector's light. */
  brightness: number;
  /** From 0.5 to 3: times as wide as lines are drawn otherwise. */
  line_width: number;
  /** What does not shine. */
  hidden: Array<"deployment" | "objective" | "zone" | "threat" | "engagement" | "coherency" | "labels">;
  /** At which edge of the table each player sits: what is written lies upright for whoever acts. */
  seats: Record<string, "near" | "far" | "left" | "right">;
  colours: "mat" | "usual";
  /** The paints that are thrown in place of the pages' own, by style. */
  paints: Record<string, PaintView>;
  /** The mat's CSS colour as the camera sees it; empty while nobody knows. */
  mat: string;
  /** What that comes to; empty while the mat's colour is not known. */
  samples: Array<LightSampleView>;
}

/** Where in the camera's picture the table is; the only key is ``lookout``, missing while nobody knows. */
export interface LookoutView {
  /** Of the picture, px; the centre of its top left pixel is (0, 0). */
  image_size: [number, number];
  /** Twelve numbers, row by row: from (x_mm, y_mm, z_mm, 1) to the camera's frame. */
  camera_from_table: Array<number>;
  focal_px: [number, number];
  centre_px: [number, number];
  /** k1, k2, p1, p2, k3 of OpenCV's formula. */
  distortion: [number, number, number, number, number];
  /** What it distorts: places as far from the middle as the tangent of the angle they are seen under, or as it. */
  model: "pinhole" | "fisheye";
}

/** How far it has come; the only key is ``restoring``, which is missing while nothing is put back. */
export interface RestoringView {
  /** The moment, as people call it. */
  when: string;
  count: number;
  back: number;
  near: number;
  /** Models that the camera does not see. */
  missing: number;
  /** What the camera cannot tell, in a sentence; empty if it can. */
  note: string;
}

/** Of a model that is put back, by its id. */
export interface PlaceView {
  state: "missing" | "back" | "near" | "off";
  /** What has to be done, in a few words; empty if it is back or missing. */
  text: string;
}

/** Where a replay is; the only key is ``playing``, which is missing in a game that is being played. */
export interface PlayingView {
  /** Since the game's beginning. */
  at_ns: number;
  /** Of the whole recording. */
  length_ns: number;
  playing: boolean;
  speed: number;
}

/** What a judge ruled from the desk. */
export interface DeskRulingView {
  judge: string;
  outcome: "legal" | "illegal";
  note: string;
}

/** The hall that a table belongs to; the only key is ``hall``, which is missing at a table of its own. */
export interface HallView {
  event: string;
  table: string;
  connected: boolean;
  /** Why there is no connection, as a sentence; empty while there is one. */
  text: string;
  /** Rows that the hall does not have yet. */
  waiting: number;
  players: Array<string>;
  /** 0 before the first. */
  round: number;
  /** Until the end of the round at this table as it was told last; negative after it. */
  left_s: number;
  /** The round's clock runs. */
  running: boolean;
  /** The round ends soon: nothing new is begun. */
  dice_down: boolean;
  /** Which judge is on the way; empty for nobody. */
  coming: string;
  /** Since how long, as it was told last. */
  coming_s: number;
  /** The latest from the desk on this game. */
  rulings: Array<DeskRulingView>;
}

/** The event that a hall holds; the only key is ``event``, which is missing at a table. */
export interface EventView {
  name: string;
  /** 0 before the first. */
  round: number;
  rounds: number;
  /** Of a round. */
  minutes: number;
  left_s: number;
  running: boolean;
  dice_down: boolean;
  /** Why nothing is gathered, as a sentence; empty while it is. */
  trouble: string;
  /** The table that a broadcast follows; empty for none. */
  on_air: string;
}

/** A table of the round, by its name, as everybody may see it. */
export interface SeatView {
  players: Array<string>;
  extra_minutes: number;
  /** In the order of the players; empty while the game is played. */
  scores: Array<number>;
}

/** A table of the hall, by its name, as judges see it. */
export interface TileView {
  /** The lower, the sooner it needs a judge. */
  rank: number;
  state: "new" | "connected" | "away";
  /** Since when nothing was heard of it; 0 while it is heard, or was never. */
  away_s: number;
  title: string;
  /** Which turn it is; 0 while nobody counts. */
  turn: number;
  /** Whose it is. */
  player: string;
  /** Seconds that each player has had the turn. */
  clocks: Record<string, number>;
  /** What the referee said last. */
  outcome: "" | "legal" | "illegal" | "too-close" | "unobserved";
  /** The finding that decides it; empty if none does. */
  text: string;
  /** What is wrong with the camera, in a sentence; empty while nothing is. */
  camera: string;
  /** What else is wrong, in a sentence; empty if nothing is. */
  trouble: string;
  /** Something of its game has come. */
  recorded: boolean;
  /** Rows that are at the table and not here yet. */
  waiting: number;
}

/** A call for a judge, by its name. */
export interface CallView {
  table: string;
  players: Array<string>;
  kind: "summons" | "doubtful";
  text: string;
  rule: string;
  margin_mm: number | null;
  sigma_mm: number | null;
  /** How long it has stood. */
  since_s: number;
  /** Which judge is on the way; empty for nobody. */
  claimed: string;
  /** Where a picture of it is; empty where there is none. */
  picture: string;
  /** Where the table is shown at its moment; empty while nothing of the table has come. */
  opens: string;
  /** It can be ruled on from the desk. */
  can_rule: boolean;
}

/** Everything a page shows. */
export interface View {
  table: Record<string, TableView>;
  camera: Record<string, CameraView>;
  palette: Record<string, PaintView>;
  palettes: Record<string, PaletteView>;
  terrain: Record<string, TerrainView>;
  shifted: Record<string, ShiftedView>;
  units: Record<string, UnitView>;
  models: Record<string, ModelView>;
  notices: Record<string, NoticeView>;
  hindrances: Record<string, HindranceView>;
  actions: Record<string, ActionView>;
  fields: Record<string, FieldView>;
  move: Record<string, MoveView>;
  turn: Record<string, TurnView>;
  scores: Record<string, ScoreView>;
  clock: Record<string, ClockView>;
  findings: Record<string, FindingView>;
  rulings: Record<string, RulingView>;
  effects: Record<string, EffectView>;
  shapes: Record<string, ShapeView>;
  ahead: Record<string, AheadView>;
  scene: Record<string, SceneView>;
  enrolled: Record<string, EnrolledView>;
  enrolling: Record<string, EnrollingView>;
  tray: Record<string, TrayView>;
  lens: Record<string, LensView>;
  sighting: Record<string, SightingView>;
  projector: Record<string, ProjectorView>;
  setup: Record<string, SetupView>;
  steps: Record<string, StepView>;
  armies: Record<string, ArmiesView>;
  forces: Record<string, ForceView>;
  layout_editor: Record<string, LayoutEditorView>;
  shown_call: Record<string, ShownCallView>;
  summons: Record<string, SummonsView>;
  optics: Record<string, OpticsView>;
  refinement: Record<string, RefinementView>;
  /** Of each page its own, set by the hub: nobody publishes it. */
  you: Record<string, YouView>;
  ways: Record<string, WayView>;
  measuring: Record<string, MeasuringView>;
  laying: Record<string, LayingView>;
  tapes: Record<string, TapeView>;
  threats: Record<string, ThreatView>;
  lights: Record<string, LightsView>;
  lookout: Record<string, LookoutView>;
  restoring: Record<string, RestoringView>;
  places: Record<string, PlaceView>;
  playing: Record<string, PlayingView>;
  hall: Record<string, HallView>;
  event: Record<string, EventView>;
  seats: Record<string, SeatView>;
  tiles: Record<string, TileView>;
  calls: Record<string, CallView>;
}

/** The whole view. */
export interface Full {
  type: "full";
  seq: number;
  view: View;
}

/** What changed since message ``seq - 1``. */
export interface Delta {
  type: "delta";
  seq: number;
  /** Keys that were set, by section; of a value that was there before, only the fields that changed. */
  set: { [Name in keyof View]?: Record<string, Partial<View[Name][string]>> };
  /** Keys that are no longer there, by section. */
  gone: Record<string, Array<string>>;
}

/** The page's last message could not be obeyed; the sentence says why and what to do. */
export interface Refused {
  type: "refused";
  text: string;
}

/** Something that happened; the list only grows. */
export interface HappeningView {
  at_ns: number;
  kind: "place" | "move" | "told" | "accept" | "turn" | "status" | "undo" | "camera" | "calibrated" | "calibration" | "ruling" | "differs";
  /** A sentence. */
  text: string;
  units: Array<string>;
  /** Whose turn it was. */
  player: string | null;
  turn: number | null;
}

/** What people decided, and did not take back. */
export interface DecidedView {
  /** In the order in which rulings were made. */
  number: number;
  /** It is about what was past then, and can be taken back by itself. */
  on_past: boolean;
  /** When they did. */
  at_ns: number;
  by: "players" | "judge";
  outcome: "legal" | "illegal" | "again";
  note: string;
}

/** Something that was not legal, or not decided, for as long as it was so; or that an accepted move hardly kept. */
export interface FoundView {
  /** Later ones of the same number replace it. */
  number: number;
  at_ns: number;
  /** None while it holds. */
  until_ns: number | null;
  fate: "stands" | "accepted" | "gone";
  /** It came and went while its move was still being made: nothing was judged by it. */
  fleeting: boolean;
  rule: string;
  outcome: "illegal" | "too-close" | "unobserved" | "legal";
  subjects: Array<string>;
  /** A sentence. */
  text: string;
  measured_mm: number | null;
  limit_mm: number | null;
  margin_mm: number | null;
  sigma_mm: number | null;
  p_legal: number | null;
  /** The segment that was measured. */
  witness_mm: Array<[number, number]>;
  units: Array<string>;
  players: Array<string>;
  turn: number | null;
  rulings: Array<DecidedView>;
}

/** What was added to a game, or changed, after a revision of it. */
export interface WholeGame {
  /** To ask for what comes after it. */
  revision: number;
  /** The rest is not judged yet: ask again. */
  more: boolean;
  /** The file's name. */
  recording: string;
  /** The date and time of the game's beginning, ISO 8601; empty where the recording is a film's. */
  began: string;
  /** When the last thing happened so far. */
  ended_ns: number;
  /** When the last thing happened that was judged so far. */
  judged_ns: number;
  happened: Array<HappeningView>;
  found: Array<FoundView>;
  /** What sentences are to call units and models, by the ids that are said. */
  names: Record<string, string>;
}

/** The table as it stood at a moment. */
export interface PastView {
  at_ns: number;
  view: View;
}

/** How far two things stood from each other, edge to edge. */
export interface MeasuredView {
  /** Negative depth where they overlap. */
  mm: number;
  sigma_mm: number;
  /** The measured point of the first. */
  near_mm: [number, number];
  far_mm: [number, number];
  /** A sentence. */
  text: string;
}

/** What vouches for a recording, as ``verify --head`` takes it. */
export interface HeadView {
  /** The file's name; empty where nothing is recorded. */
  recording: string;
  /** Empty in older recordings, which have none. */
  head: string;
}

/** A figure and what it is. */
export interface Row {
  label: string;
  text: string;
}

/** Figures that belong together. */
export interface Section {
  title: string;
  rows: Array<Row>;
}

/** A line or an area. */
export interface Stroke {
  style: string;
  rings_mm: Array<Array<[number, number]>>;
  closed: boolean;
  fill: string;
  line: string;
  width_mm: number;
  dash_mm: Array<number>;
}

/** A word on the drawing, centred. */
export interface Name {
  text: string;
  x_mm: number;
  y_mm: number;
  room_mm: number;
  inset: boolean;
}

/** The table from above, x to the right, y up. */
export interface Drawing {
  width_mm: number;
  depth_mm: number;
  strokes: Array<Stroke>;
  names: Array<Name>;
  inset_mm: [number, number, number, number] | null;
}

/** An incident report: a finding, or a moment at which nothing was found. */
export interface Incident {
  title: string;
  recording: string;
  at_ns: number;
  at: string;
  number: number | null;
  outcome: string | null;
  outcome_said: string;
  statement: string;
  sections: Array<Section>;
  drawing: Drawing;
  picture_ns: number | null;
  picture_said: string;
  close: boolean;
  names: Record<string, string>;
}

/** What a unit did. */
export interface UnitStats {
  unit: string;
  /** what people call it, which is its id where it has no other name */
  name: string;
  player: string;
  /** that were accepted */
  moves: number;
  /** the ways of all its models together, along their centres */
  moved_mm: number;
  /** the longest way of one of its models in one move */
  longest_mm: number;
}

/** What a player's units did, and how long that took. */
export interface PlayerStats {
  player: string;
  moves: number;
  moved_mm: number;
  time_ns: number;
  /** in moves of the player's units */
  close_calls: number;
}

/** A turn, or one player's part of a shared one. */
export interface TurnStats {
  number: number;
  player: string;
  began_ns: number;
  lasted_ns: number;
  /** that were accepted in it */
  moves: number;
}

/** A finding that could have gone the other way, in a move that was accepted or taken back. */
export interface CloseCall {
  /** when the move ended */
  at_ns: number;
  /** its number in the list of moves */
  move: number;
  unit: string;
  rule: string;
  outcome: "legal" | "illegal" | "too-close" | "unobserved" | "note";
  text: string;
  margin_mm: number;
  sigma_mm: number;
}

/** What people decided and did not take back. */
export interface Decision {
  at_ns: number;
  by: "players" | "judge";
  text: string;
}

/** The longest way of one model in one move that was accepted. */
export interface LongestMove {
  move: number;
  unit: string;
  model: string;
  mm: number;
}

/** Where models stood, and for how long. */
export interface Heat {
  cell_mm: number;
  columns: number;
  rows: number;
  /** by player: column from the left, row from the near edge, seconds */
  seconds: Record<string, Array<[number, number, number]>>;
}

/** A whole game in figures; times count from its beginning. */
export interface Statistics {
  format: "overtable.stats/1";
  title: string;
  rulebook: string;
  /** what the rulebook says lengths in */
  unit: "in" | "cm";
  /** without the breaks, as all that lasted */
  lasted_ns: number;
  /** from each end of the program until the game was gone on with */
  breaks_ns: number;
  /** before turns were counted */
  untimed_ns: number;
  /** what a player's time is: of the turns, or where nobody counted them of the player's moves */
  timed_by: "turns" | "announcements";
  units: Array<UnitStats>;
  players: Array<PlayerStats>;
  turns: Array<TurnStats>;
  close_calls: Array<CloseCall>;
  rulings: Array<Decision>;
  longest: LongestMove | null;
  /** what people call units and models, by the ids that sentences say */
  names: Record<string, string>;
  heat: Heat;
}

/** Send everything again. */
export interface Resync {
  type: "resync";
}

/** Announce an action for a unit, with its dice, and pick the model whose zone is shown. */
export interface Declare {
  type: "declare";
  unit: string;
  /** None: the unit is picked, no action is announced yet. */
  action?: string | null;
  /** May still lack dice: the move's note then asks for them. */
  rolls?: Array<number>;
  /** None: the unit's first model. */
  model?: string | null;
  /** The rulebook's fields of a move. */
  intent?: Record<string, string | boolean | Array<string>>;
  /** The models that failed tests cost, by their owner's choice. */
  lost?: Array<string>;
}

/** Take the announcement back and pick nothing. */
export interface Withdraw {
  type: "withdraw";
}

/** What a page showed when a person decided by it; if it is no longer so, they decided about something else. */
export interface Shown {
  decided: number;
  outcome: "legal" | "illegal" | "too-close" | "unobserved" | null;
  moved: Array<string>;
}

/** Accept what stands: every model's present place is its new starting place. */
export interface Accept {
  type: "accept";
  /** None: whatever stands when it arrives. */
  shown?: Shown | null;
}

/** Decide what a call comes to, whatever the referee says: by agreement of the players, or as their judge. */
export interface Rule {
  type: "rule";
  /** ``again``: the move is made again from where it began. */
  outcome: "legal" | "illegal" | "again";
  by?: "players" | "judge";
  /** Why, in a sentence; a judge always says it. */
  note?: string;
  /** The finding that it is about, by its rule and its subjects; None for the verdict as a whole. */
  rule?: string | null;
  subjects?: Array<string>;
  /** The length that was agreed on in place of the measured one. */
  agreed_mm?: number | null;
}

/** Say that models were pushed by mistake: they stand where they are, and have made no move. */
export interface Bumped {
  type: "bumped";
  models: Array<string>;
}

/** Say that models are put back where they were accepted: what moves them there is no move. */
export interface PutBack {
  type: "put-back";
  models: Array<string>;
}

/** Say that two models carry each other's markers: what is seen of one counts for the other. */
export interface Swapped {
  type: "swapped";
  models: Array<string>;
  /** When it was so already, since the game's beginning; None: from now on. */
  since_ns?: number | null;
}

/** Put the table back to a moment: until that is done, what moves models is no move. */
export interface Restore {
  type: "restore";
  /** Since the game's beginning; None for where everything was last accepted. */
  at_ns?: number | null;
}

/** End that: models that are back stand exactly where they stood, the others stay where they are. */
export interface RestoreDone {
  type: "restore-done";
  /** How many were not back as the page showed it; None: however many are not. */
  missing?: number | null;
}

/** Say that models are destroyed. */
export interface Remove {
  type: "remove";
  models: Array<string>;
}

/** Begin the next step of the turn, or the next player's turn. */
export interface GoOn {
  type: "go-on";
  /** Who goes first in the turn that begins, where that is left to people to say. */
  player?: string | null;
  /** Of the move that the page showed; None: whatever was decided since. */
  decided?: number | null;
}

/** Say what the status of a unit is: a test that failed, or a correction. */
export interface SetStatus {
  type: "status";
  unit: string;
  status: Array<string>;
}

/** Say in how many rounds this game is played, as its mission or scenario has it. */
export interface AgreeOnRounds {
  type: "rounds";
  rounds: number;
}

/** Agree whether players of this game may measure at any time, where the rules do not say. */
export interface AllowMeasuring {
  type: "allow-measuring";
  allowed: boolean;
}

/** Say how many points a player has, and what the army is called. */
export interface SetScore {
  type: "score";
  player: string;
  points: number;
  army?: string;
}

/** Say that a piece of terrain that was moved lies from now on where it was seen to lie. */
export interface TakeTerrain {
  type: "take-terrain";
  piece: string;
}

/** Say that a terrain feature lies elsewhere from now on than the game has it. */
export interface MoveTerrain {
  type: "move-terrain";
  piece: string;
  dx_mm?: number;
  dy_mm?: number;
  /** About the middle of the box around it. */
  turn_deg?: number;
}

/** Take back the last thing that was decided; what was seen since stays seen. */
export interface Undo {
  type: "undo";
  /** Of the move that the page showed; None: whatever was decided last. */
  decided?: number | null;
}

/** Stop the script of a demo for good; any other command of a page that is for the table does so, too. */
export interface TakeOver {
  type: "take-over";
}

/** Push a model of the virtual table, as a hand would; ``done`` when the hand lets go. */
export interface Drag {
  type: "drag";
  model: string;
  x_mm: number;
  y_mm: number;
  facing_deg: number;
  done: boolean;
}

/** Begin to measure where a model's tag is in its base. */
export interface Enrol {
  type: "enrol";
  model: string;
  /** A tag on the enrolment sheet, or turned on the spot; a ring by showing it. */
  way: "sheet" | "turn" | "halo" | "rim";
  /** As a command line names it, such as ``round:32``; None where the game or the set-up knows it. */
  base?: string | null;
  /** Edge of the tag's black square; None where the set-up knows it. */
  size_mm?: number | null;
  /** Of the tag above the table, where somebody has measured it. */
  height_mm?: number | null;
}

/** Begin to read which markers lie on a tray, for the models that lack one. */
export interface EnrolTray {
  type: "enrol-tray";
  way: "halo" | "rim" | "tag";
  /** Of which unit they are; None for all, in the game's order. */
  unit?: string | null;
  /** Edge of the tags' black squares; None where the set-up knows it. */
  size_mm?: number | null;
}

/** Give a marker of the tray to another model, which gives back what it had; or take it out. */
export interface EnrolGive {
  type: "enrol-give";
  /** As the view numbers it. */
  marker: number;
  /** None for nobody. */
  model: string | null;
}

/** Say that the model's front points to the far edge of the table; it is turned on the spot from now on. */
export interface EnrolTurn {
  type: "enrol-turn";
}

/** Forget what was measured of this model, and begin again. */
export interface EnrolAgain {
  type: "enrol-again";
}

/** Write what was measured to the set-up file, and use it from now on. */
export interface EnrolKeep {
  type: "enrol-keep";
}

/** Leave the enrolment, and what was not kept. */
export interface EnrolStop {
  type: "enrol-stop";
}

/** Rule, as a judge, on something that is past. */
export interface RulePast {
  type: "rule-past";
  /** The moment, since the game's beginning. */
  at_ns: number;
  /** The number of the finding that it is about; None for the verdict of that moment as a whole. */
  found?: number | null;
  outcome: "legal" | "illegal";
  note: string;
  /** Who rules, where that is known. */
  judge?: string;
}

/** Take back a ruling on something that is past. */
export interface UnrulePast {
  type: "unrule-past";
  /** Its number, in the order in which rulings were made. */
  ruling: number;
}

/** Begin to calibrate the lens with a board, or go on where that was left. */
export interface LensBegin {
  type: "lens-begin";
  /** As ``overtable calibrate lens --board`` takes it. */
  board: string;
}

/** Throw a view of the board away. */
export interface LensDrop {
  type: "lens-drop";
  /** None: the last. */
  number?: number | null;
}

/** Take more views although there are enough. */
export interface LensMore {
  type: "lens-more";
}

/** Throw all views away, and begin anew. */
export interface LensAgain {
  type: "lens-again";
}

/** Write the lens to a file that the set-up names, and use it from now on. */
export interface LensKeep {
  type: "lens-keep";
}

/** Leave the calibration of the lens; its views stay while the program runs. */
export interface LensLeave {
  type: "lens-leave";
}

/** Say how large a projector page is; sent when it opens and whenever that changes. */
export interface ProjectorPage {
  type: "projector-page";
  width_px: number;
  /** In the screen's own pixels. */
  height_px: number;
}

/** Begin to calibrate the projector, or begin anew. */
export interface ProjectorBegin {
  type: "projector-begin";
}

/** Write the calibration that was measured to its file, and use it from now on. */
export interface ProjectorKeep {
  type: "projector-keep";
}

/** Leave the calibration, and what was not kept. */
export interface ProjectorStop {
  type: "projector-stop";
}

/** Move the light on the table by a little, about the table's middle. */
export interface NudgeLight {
  type: "nudge-light";
  x_mm?: number;
  y_mm?: number;
  turn_deg?: number;
  scale?: number;
}

/** Take the last nudge back, or all of them. */
export interface NudgeBack {
  type: "nudge-back";
  all?: boolean;
}

/** Set the light anew; what is left out stays as it is. */
export interface LightSettings {
  type: "light-settings";
  brightness?: number | null;
  line_width?: number | null;
  /** Everything that is not to shine. */
  hidden?: Array<"deployment" | "objective" | "zone" | "threat" | "engagement" | "coherency" | "labels"> | null;
  colours?: "mat" | "usual" | null;
  /** Where these players sit; the others stay where they are. */
  seats?: Record<string, "near" | "far" | "left" | "right">;
  /** Also for the next time; not while a finger is still looking for the right value. */
  keep?: boolean;
}

/** What is measured from or to: a model, a unit or a piece of terrain by its id, or a point of the table. */
export interface End {
  kind: "model" | "unit" | "terrain" | "point";
  id?: string | null;
  x_mm?: number | null;
  y_mm?: number | null;
}

/** Lay a tape between two things; it follows them until it is taken away. */
export interface Measure {
  type: "measure";
  ends: [End, End];
}

/** Take a tape away. */
export interface Unmeasure {
  type: "unmeasure";
  /** Its number; None for all of them. */
  tape?: string | null;
}

/** Show what a unit may come to threaten with its next plain move. */
export interface ShowThreat {
  type: "show-threat";
  unit: string;
  /** How far it can strike; None for the range of engagement. */
  range_mm?: number | null;
}

/** Show a unit's threat no longer. */
export interface HideThreat {
  type: "hide-threat";
  /** None for all of them. */
  unit?: string | null;
}

/** Show the call of a finding to everybody. */
export interface ShowCall {
  type: "show-call";
  rule: string;
  subjects: Array<string>;
  /** Of which moment, since the game's beginning; None for what is being judged now. */
  at_ns?: number | null;
}

/** Ask for a judge at the table, or say that it is not needed any more. */
export interface CallJudge {
  type: "call-judge";
  needed: boolean;
  /** A sentence on what is in doubt. */
  about?: string;
}

/** Begin to lay the table's terrain and objectives, one after the other. */
export interface LayBegin {
  type: "lay-begin";
  /** The one piece that is to be put back; None: everything. */
  only?: string | null;
}

/** Say that a piece lies where it belongs, or does not. */
export interface LayTick {
  type: "lay-tick";
  step: string;
  lies: boolean;
}

/** End that: the light shows the game again. */
export interface LayEnd {
  type: "lay-end";
}

/** Say which mark lies on a piece; where on it, the camera learns. */
export interface LayMark {
  type: "lay-mark";
  step: string;
  kind: "tag" | "ring";
  id: number;
  /** Edge of the tag's black square, or the diameter of the ring's disc. */
  size_mm: number;
  /** Above the table. */
  height_mm: number;
}

/** Say that a marked piece lies where it belongs, wherever the camera sees it: its mark is elsewhere on it. */
export interface LayLearn {
  type: "lay-learn";
  step: string;
}

/** Choose the rulebook. */
export interface ArmiesRulebook {
  type: "armies-rulebook";
  rulebook: string;
}

/** Name a player, or add one. */
export interface ArmiesPlayer {
  type: "armies-player";
  /** The army; None adds one. */
  force?: string | null;
  player?: string;
}

/** Drop a player with all units. */
export interface ArmiesLeave {
  type: "armies-leave";
  force: string;
}

/** Take a player's roster as it is now. */
export interface ArmiesPaste {
  type: "armies-paste";
  force: string;
  text: string;
}

/** Give each player whom a roster's headings name an army of their own. */
export interface ArmiesPart {
  type: "armies-part";
  force: string;
}

/** Correct one field of a unit. */
export interface ArmiesEdit {
  type: "armies-edit";
  force: string;
  row: number;
  /** ``name``, ``count``, ``base``, ``keywords``, ``status`` or a profile key. */
  field: string;
  value: string;
}

/** Take a unit's guessed base and move for what they are. */
export interface ArmiesAgree {
  type: "armies-agree";
  force: string;
  /** None for all units of the army. */
  row?: number | null;
}

/** Add a unit that no roster names. */
export interface ArmiesAdd {
  type: "armies-add";
  force: string;
}

/** Drop a unit. */
export interface ArmiesDrop {
  type: "armies-drop";
  force: string;
  row: number;
}

/** Take a file, or a piece of it: an army, a list, or a whole situation in place of all armies. */
export interface ArmiesFile {
  name: string;
  /** How many of its bytes came before. */
  at?: number;
  /** Bytes of it, in base64. */
  data: string;
  /** Whether more pieces come; with the last the file is taken. */
  more?: boolean;
  type: "armies-file";
  force: string;
}

/** Play the armies that were entered, and no longer a situation's. */
export interface ArmiesOwn {
  type: "armies-own";
}

/** Bring back what was dropped last. */
export interface ArmiesUndo {
  type: "armies-undo";
}

/** Open a layout in the editor. */
export interface LayoutOpen {
  type: "layout-open";
  /** Its name; empty for a bare table. */
  layout?: string;
}

/** Move a piece or a marker; its twin follows, or goes first where that is what is moved. */
export interface LayoutMove {
  type: "layout-move";
  piece: string;
  dx_mm?: number;
  dy_mm?: number;
  /** About the piece's middle. */
  turn_deg?: number;
  /** As in a mirror along its own length. */
  flip?: boolean;
}

/** Put one more piece of a template on the table. */
export interface LayoutAdd {
  type: "layout-add";
  template: string;
  x_mm: number;
  y_mm: number;
}

/** Put a piece with an outline of its own on the table. */
export interface LayoutDraw {
  type: "layout-draw";
  outline_mm: Array<[number, number]>;
}

/** Put one more objective on the table. */
export interface LayoutMarker {
  type: "layout-marker";
  x_mm: number;
  y_mm: number;
}

/** Put a copy of a piece beside it. */
export interface LayoutCopy {
  type: "layout-copy";
  piece: string;
}

/** Take a piece or a marker away, with its twin. */
export interface LayoutRemove {
  type: "layout-remove";
  piece: string;
}

/** Make a piece of another height, or an outline of another kind. */
export interface LayoutChange {
  type: "layout-change";
  piece: string;
  height_mm?: number | null;
  kind?: string | null;
}

/** Choose how the other half follows. */
export interface LayoutSymmetry {
  type: "layout-symmetry";
  symmetry: "half-turn" | "left-right" | "near-far" | "none";
}

/** Take back the last change. */
export interface LayoutUndo {
  type: "layout-undo";
}

/** Make the change again that was taken back last. */
export interface LayoutRedo {
  type: "layout-redo";
}

/** Keep the layout among one's own. */
export interface LayoutSave {
  type: "layout-save";
  title: string;
}

/** Leave the editor. */
export interface LayoutClose {
  type: "layout-close";
}

/** Look at the pictures for the next seconds; a page that shows the figures says so again and again. */
export interface OpticsLook {
  type: "optics-look";
}

/** Forget the best so far. */
export interface OpticsAgain {
  type: "optics-again";
}

/** Turn the focus or the exposure by some of the driver's steps, or leave it to the camera. */
export interface OpticsTurn {
  type: "optics-turn";
  what: "focus" | "exposure";
  /** None leaves it to the camera. */
  by?: number | null;
}

/** Hold focus and exposure as they are, now and whenever this camera is opened for this set-up. */
export interface OpticsLock {
  type: "optics-lock";
}

/** Hold them no longer. */
export interface OpticsFree {
  type: "optics-free";
}

/** Use the better lens that is offered from now on; the one before is kept. */
export interface RefinementUse {
  type: "refinement-use";
}

/** Keep the lens in use, and offer none again while the program runs. */
export interface RefinementDecline {
  type: "refinement-decline";
}

/** Make entries; they are kept as they are, right or wrong. */
export interface SetupEnter {
  type: "setup-enter";
  /** Texts by name; an empty one takes an entry back. */
  values: Record<string, string>;
}

/** Look again which cameras there are. */
export interface SetupLook {
  type: "setup-look";
}

/** Tell from the picture where the anchors lie, and use that from now on. */
export interface SetupMeasure {
  type: "setup-measure";
}

/** Take it that every tag that was not measured is glued in the middle of its base. */
export interface SetupMiddle {
  type: "setup-middle";
}

/** Play with the armies that were entered. */
export interface SetupArmies {
  type: "setup-armies";
}

/** Begin the game: from now on it is recorded. */
export interface SetupBegin {
  type: "setup-begin";
}

/** Go on with a game that was broken off: what happens from now on is recorded after what was. */
export interface SetupGoOn {
  type: "setup-go-on";
  /** The file's name, as it is offered. */
  recording: string;
}

/** End the game, so that the set-up can be changed. */
export interface SetupEnd {
  type: "setup-end";
}

/** Let the table belong to a tournament's hall, by its file or a photo of the table's sheet. */
export interface SetupHall {
  name: string;
  /** How many of its bytes came before. */
  at?: number;
  /** Bytes of it, in base64. */
  data: string;
  /** Whether more pieces come; with the last the file is taken. */
  more?: boolean;
  type: "setup-hall";
}

/** Let the table be one of its own again. */
export interface SetupLeaveHall {
  type: "setup-leave-hall";
}

/** Go on playing; from the beginning once the end is reached. */
export interface Play {
  type: "play";
}

/** Stay at this moment. */
export interface Pause {
  type: "pause";
}

/** Play faster or slower. */
export interface Speed {
  type: "speed";
  speed: number;
}

/** Show a moment, and go on as before from there. */
export interface Seek {
  type: "seek";
  /** Since the game's beginning; what is after its end counts as its end. */
  at_ns: number;
}

/** Show the moment at which the next model, or the one before, had moved, and stay there. */
export interface Step {
  type: "step";
  back?: boolean;
}

/** Begin a round, or let its clock stand or go on. */
export interface HallRound {
  type: "hall-round";
  action: "start" | "pause" | "go-on";
  /** Which one begins. */
  round?: number | null;
}

/** Give one table more time in this round, or take some back. */
export interface HallExtend {
  type: "hall-extend";
  table: string;
  minutes: number;
}

/** Say that a call is looked after by whoever says so, or no longer. */
export interface HallClaim {
  type: "hall-claim";
  call: string;
  claimed: boolean;
}

/** Say that a call is answered: it leaves the queue. */
export interface HallAnswer {
  type: "hall-answer";
  call: string;
}

/** Rule from the desk on the call that a table shows: its record and its tablet have it with the judge's name. */
export interface HallRule {
  type: "hall-rule";
  call: string;
  outcome: "legal" | "illegal";
  note: string;
}

/** Write down how a game of this round ended. */
export interface HallResult {
  type: "hall-result";
  table: string;
  /** In the order of the pairing. */
  scores: Array<number>;
}

/** Choose the table that a broadcast follows. */
export interface HallAir {
  type: "hall-air";
  /** Its name; empty for none. */
  table: string;
}

export type ToPage = Full | Delta | Refused;

export type FromPage = Resync | Declare | Withdraw | Accept | Rule | Bumped | PutBack | Swapped | Restore | RestoreDone | Remove | GoOn | SetStatus | AgreeOnRounds | AllowMeasuring | SetScore | TakeTerrain | MoveTerrain | Undo | TakeOver | Drag | Enrol | EnrolTray | EnrolGive | EnrolTurn | EnrolAgain | EnrolKeep | EnrolStop | RulePast | UnrulePast | LensBegin | LensDrop | LensMore | LensAgain | LensKeep | LensLeave | ProjectorPage | ProjectorBegin | ProjectorKeep | ProjectorStop | NudgeLight | NudgeBack | LightSettings | Measure | Unmeasure | ShowThreat | HideThreat | ShowCall | CallJudge | LayBegin | LayTick | LayEnd | LayMark | LayLearn | ArmiesRulebook | ArmiesPlayer | ArmiesLeave | ArmiesPaste | ArmiesPart | ArmiesEdit | ArmiesAgree | ArmiesAdd | ArmiesDrop | ArmiesFile | ArmiesOwn | ArmiesUndo | LayoutOpen | LayoutMove | LayoutAdd | LayoutDraw | LayoutMarker | LayoutCopy | LayoutRemove | LayoutChange | LayoutSymmetry | LayoutUndo | LayoutRedo | LayoutSave | LayoutClose | OpticsLook | OpticsAgain | OpticsTurn | OpticsLock | OpticsFree | RefinementUse | RefinementDecline | SetupEnter | SetupLook | SetupMeasure | SetupMiddle | SetupArmies | SetupBegin | SetupGoOn | SetupEnd | SetupHall | SetupLeaveHall | Play | Pause | Speed | Seek | Step | HallRound | HallExtend | HallClaim | HallAnswer | HallRule | HallResult | HallAir;
