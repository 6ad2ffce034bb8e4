// Package taso translates between laws and rules in TASO's format, the protocol
// buffer of package tasopb. [From] makes laws of its rules, with explicit split
// positions, shapes and padding; [SideOf] types one side of a rule alone, so that an
// audit can tell what the other side asks beyond it; [To] writes what that format can
// say of our rules and lists what it cannot.
//
// TASO's split has no position: it cuts where its input was last joined. The
// generator follows these places, which we call seams, through the operators;
// so do both translations, and a law has the position written out. What SAME
// padding and groups mean is the [Reading].
package taso
